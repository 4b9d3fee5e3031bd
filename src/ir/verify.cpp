#include "ir/verify.h"

#include <map>

#include "ir/text.h"
#include "ir/verifier.h"

namespace carry::ir {

namespace {

constexpr uint32_t kMaxLayoutDepth = 64;

struct BuiltinRow {
  std::string_view type;
  std::string_view direction;
};
constexpr BuiltinRow kBuiltins[] = {
    {"", ""},
#define BUILTIN_VAR(name, type, stages, direction, spirv) {type, direction},
#include "ir/builtin_vars.def"
#undef BUILTIN_VAR
};

bool stores_layout(Space s) { return space_has_layout(s); }

}  // namespace

void Verifier::error(uint8_t rule, std::string message) {
  if (!full()) errors_.push_back({rule, function_, inst_, std::move(message)});
}

void Verifier::type(TypeId id) {
  const TypeTable& types = m_.types();
  const Type& t = types[id];
  if (t.kind != TypeKind::struct_) return;
  const std::vector<Member>& members = types.struct_decl(id).members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!valid_type(members[i].type)) {
      error(1, "a member has no type");
      continue;
    }
    const Type& member = types[members[i].type];
    if (member.kind == TypeKind::array && member.count == 0 && member.count_override == Id<TypeId>::kNone &&
        i + 1 != members.size()) {
      error(5, "an array without a size is not the struct's last member");
    }
  }
}

/// Structs that globals and locals use. Everything else in the table may be the checker's.
void Verifier::types() {
  std::vector<bool> seen(m_.types().size());
  std::vector<TypeId> open;
  const auto push = [&](TypeId t) {
    if (!valid_type(t) || t.value >= seen.size() || seen[t.value]) return;
    seen[t.value] = true;
    open.push_back(t);
  };
  for (GlobalId g : m_.global_order) {
    if (m_.globals.contains(g)) push(m_.globals[g].value_type);
  }
  for (FunctionId f : m_.function_order) {
    if (!m_.functions.contains(f)) continue;
    push(m_.functions[f].result);
    for (TypeId t : m_.functions[f].value_types) push(t);
  }
  while (!open.empty() && !full()) {
    const TypeId id = open.back();
    open.pop_back();
    type(id);
    push(m_.types()[id].element);
    if (m_.types().kind(id) != TypeKind::struct_) continue;
    for (const Member& member : m_.types().struct_decl(id).members) push(member.type);
  }
}

void Verifier::layout_struct(LayoutId id, TypeId type, uint32_t depth) {
  const Layout& l = m_.layouts()[id];
  const uint32_t count = m_.types().part_count(type);
  if (l.members.count != count) {
    error(3, "the layout has another number of members than the struct");
    return;
  }
  // Members may stand in any order; those that overlap are found in order of their offsets.
  std::map<uint32_t, uint32_t> ends;
  for (uint32_t i = 0; i < count; ++i) {
    const LayoutId member = m_.layouts().member_layout(id, i);
    const TypeId part = m_.types().struct_decl(type).members[i].type;
    layout(member, part, depth + 1);
    if (full() || !member || member.value >= m_.layouts().size()) return;
    const uint32_t offset = m_.layouts().member_offset(id, i);
    const uint64_t end = uint64_t{offset} + m_.layouts()[member].size;
    const bool open_end = m_.layouts()[member].kind == Layout::Kind::array && m_.layouts()[member].size == 0;
    if (!open_end && l.size != 0 && end > l.size) error(3, "a member reaches past the end of its struct");
    const uint32_t stop = static_cast<uint32_t>(open_end || end > 0xffffffffu ? 0xffffffffu : end);
    auto after = ends.upper_bound(offset);
    const bool overlaps_after = after != ends.end() && after->first < stop;
    const bool overlaps_before = after != ends.begin() && std::prev(after)->second > offset;
    if (stop > offset && (overlaps_after || overlaps_before)) error(3, "two members of a layout overlap");
    if (stop > offset) ends[offset] = stop;
  }
}

void Verifier::layout(LayoutId id, TypeId type, uint32_t depth) {
  if (!id || id.value >= m_.layouts().size() || !valid_type(type) || depth > kMaxLayoutDepth) {
    error(3, "a layout is missing");
    return;
  }
  if (!layouts_done_.insert(uint64_t{id.value} << 32 | type.value).second) return;
  const Type& t = m_.types()[type];
  const Layout& l = m_.layouts()[id];
  switch (t.kind) {
    case TypeKind::bindings: layout(id, t.element, depth + 1); return;
    case TypeKind::struct_:
      if (l.kind != Layout::Kind::struct_) break;
      layout_struct(id, type, depth);
      return;
    case TypeKind::array: {
      if (l.kind != Layout::Kind::array) break;
      layout(l.element, t.element, depth + 1);
      if (!full() && l.element && l.stride < m_.layouts()[l.element].size)
        error(3, "an array's stride is smaller than its element");
      return;
    }
    case TypeKind::matrix:
      if (l.kind == Layout::Kind::matrix) return;
      break;
    case TypeKind::vector:
      if (l.kind == Layout::Kind::vector) return;
      break;
    default:
      if (l.kind == Layout::Kind::scalar) return;
      break;
  }
  error(3, "a layout does not fit its type");
}

void Verifier::builtin(const Global& g) {
  const BuiltinRow& row = kBuiltins[static_cast<size_t>(g.builtin)];
  if (g.space != Space::in && g.space != Space::out) error(4, "a built-in variable is `in` or `out`");
  if (row.direction != "inout" && space_name(g.space) != row.direction) error(4, "a built-in variable of the wrong direction");
  // Arrays of tessellation, geometry and mesh stand around the table's type; clip distances have any size.
  TypeId t = g.value_type;
  std::string text = type_text(m_, t);
  const bool open_array = row.type == "array<f32>" && text.substr(0, 9) == "array<f32";
  if (text != row.type && !open_array && m_.types().kind(t) == TypeKind::array) text = type_text(m_, m_.types()[t].element);
  if (text != row.type && !(row.type == "array<f32>" && text.substr(0, 9) == "array<f32")) {
    error(4, "the built-in variable `" + std::string(builtin_var_name(g.builtin)) + "` has type " + std::string(row.type));
  }
}

void Verifier::init(const Global& g) {
  if (!g.init) return;
  const bool is_override = g.kind == GlobalKind::override_;
  if (!is_override && g.space != Space::private_) error(3, "only private variables have an initial value");
  if (!g.init.is_constant() &&
      !(g.init.is_global() && m_.globals.contains(g.init.global_id()) && global_done_[g.init.index()])) {
    error(1, "the initial value is not a constant");
    return;
  }
  if (type_of(g.init) != (is_override ? g.type : g.value_type)) error(1, "the initial value has another type");
}

void Verifier::global(GlobalId id) {
  const Global& g = m_.globals[id];
  if (!valid_type(g.type) || !valid_type(g.value_type)) {
    error(1, "a global has no type");
    return;
  }
  if (g.kind == GlobalKind::override_) {
    if (!m_.types().is_scalar(g.type)) error(1, "an override is a scalar");
    init(g);
    return;
  }
  if (g.kind == GlobalKind::result) return;
  const Type& p = m_.types()[g.type];
  if (p.kind != TypeKind::pointer || p.space != g.space || p.element != g.value_type)
    error(3, "a global's pointer type does not fit it");
  if (g.space == Space::function || g.space == Space::none) error(3, "a global in a space of functions");
  if (stores_layout(g.space) && (g.flags & kGlobalByteAddress) == 0) {
    if (!g.layout) error(3, "a buffer has no layout");
  }
  if (g.layout) layout(g.layout, g.value_type, 0);
  if (g.builtin != BuiltinVar::none) builtin(g);
  init(g);
}

void Verifier::globals() {
  global_done_.assign(m_.globals.size(), false);
  std::map<std::pair<uint32_t, uint32_t>, GlobalId> bound;
  for (GlobalId id : m_.global_order) {
    if (!m_.globals.contains(id) || global_done_[id.value]) {
      error(1, "a global stands twice in the order, or does not exist");
      return;
    }
    const Global& g = m_.globals[id];
    const bool resource = g.space == Space::uniform || g.space == Space::storage || g.space == Space::handle;
    if (resource && g.binding != Id<TypeId>::kNone && (g.flags & kGlobalAliased) == 0) {
      if (!bound.emplace(std::pair(g.set, g.binding), id).second) {
        error(5, "two resources at set " + std::to_string(g.set) + ", binding " + std::to_string(g.binding) +
                     " are not marked @aliased");
      }
    }
    global(id);
    global_done_[id.value] = true;
  }
}

std::vector<VerifyError> Verifier::run() {
  seen_inst_.assign(m_.insts.size(), false);
  seen_region_.assign(m_.regions.size(), false);
  function_done_.assign(m_.functions.size(), false);
  globals();
  types();
  module_insts();
  for (FunctionId id : m_.function_order) {
    if (full()) break;
    if (!m_.functions.contains(id) || function_done_[id.value]) {
      error(4, "a function stands twice in the order, or does not exist");
      break;
    }
    if (!m_.functions[id].dead) function(id);
    function_done_[id.value] = true;
  }
  return std::move(errors_);
}

std::vector<VerifyError> verify(const Module& module, size_t limit) { return Verifier(module, limit).run(); }

std::string describe(const Module& module, const VerifyError& e) {
  std::string text = "rule " + std::to_string(e.rule);
  if (e.function && module.functions.contains(e.function)) {
    text += " in `" + std::string(module.names().text(module.functions[e.function].name)) + "`";
  }
  text += ": ";
  if (e.inst && module.insts.contains(e.inst) && module.insts[e.inst].op < Op::count_) {
    text += std::string(op_row(module.insts[e.inst].op).name) + " (inst " + std::to_string(e.inst.value) + "): ";
  }
  return text + e.message;
}

}  // namespace carry::ir
