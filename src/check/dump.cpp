// Facts as text, for tests.
#include "check/facts.h"
#include "check/type_text.h"

namespace carry {
namespace {

std::string constant_text(const TypeTable& types, ConstId id, int depth = 0) {
  const Constant& c = types.constant(id);
  if (types.is_scalar(c.type)) {
    const uint64_t bits = c.kind == Constant::Kind::zero ? 0 : c.bits;
    static constexpr char kHex[] = "0123456789abcdef";
    std::string s;
    for (uint64_t b = bits; b != 0 || s.empty(); b >>= 4) s.insert(s.begin(), kHex[b & 15]);
    return "0x" + s;
  }
  if (c.kind == Constant::Kind::zero) return "zero";
  if (depth > 3) return "...";
  std::string s = "(";
  for (ConstId p : types.parts(id)) {
    if (s.size() > 1) s += ", ";
    if (s.size() > 120) return s + "...)";
    s += constant_text(types, p, depth + 1);
  }
  return s + ")";
}

std::string_view kind_text(VarKind k) {
  static constexpr std::string_view kNames[] = {
      "local",  "param",        "private", "constant",      "const_variable", "spec_constant", "shared",
      "in",     "out",          "builtin", "uniform_block", "storage_block",  "push_block",    "storage_object",
      "handle", "block_member", "uniform", "payload"};
  return kNames[static_cast<size_t>(k)];
}

std::string_view mode_text(ParamMode m) {
  static constexpr std::string_view kNames[] = {"", "out ", "inout ", "ref "};
  return kNames[static_cast<size_t>(m)];
}

}  // namespace

std::string dump(const Facts& facts, const Tree& tree, const TypeTable& types, const Names& names) {
  LanguageMode mode;
  auto text = [&](TypeId t) { return check::type_text(types, names, t, mode); };
  std::string s;
  for (VarId id : facts.globals) {
    const Variable& v = facts.variables[id];
    s += "global " + std::string(kind_text(v.kind)) + " " + std::string(names.text(v.name ? v.name : v.block_name)) + ": " +
         text(v.type);
    if (v.value) s += " = " + constant_text(types, v.value);
    if (v.binding != Id<TypeId>::kNone) s += " binding " + std::to_string(v.binding);
    if (v.register_index != Id<TypeId>::kNone) s += " register " + std::to_string(v.register_index);
    if (v.location != Id<TypeId>::kNone) s += " location " + std::to_string(v.location);
    s += "\n";
  }
  for (FuncId id : facts.functions.ids()) {
    const Function& f = facts.functions[id];
    s += "function " + std::string(names.text(f.name)) + "(";
    for (const Parameter& p : f.params) {
      if (s.back() != '(') s += ", ";
      s += std::string(mode_text(p.mode)) + text(p.type);
    }
    s += "): " + text(f.result) + "\n";
  }
  for (const EntryFact& e : facts.entries) {
    s += "entry " + std::string(names.text(e.name));
    for (const SizeValue& v : e.workgroup) s += " " + std::to_string(v.value);
    s += "\n";
  }
  for (uint32_t i = 0; i < tree.size(); ++i) {
    const NodeId n{i};
    const NodeFact& f = facts.node(n);
    if (!f.type || node_class(tree.kind(n)) != NodeClass::expr) continue;
    s += std::to_string(i) + " " + std::string(node_kind_name(tree.kind(n)));
    if (tree.name(n)) s += " " + std::string(tree.name_text(n));
    s += ": " + text(f.type);
    if (f.converted) s += " -> " + text(f.converted);
    if (f.value) s += " = " + constant_text(types, f.value);
    if ((f.flags & kFactLvalue) != 0) s += " lvalue";
    if ((f.flags & kFactSpec) != 0) s += " spec";
    s += "\n";
  }
  return s;
}

}  // namespace carry
