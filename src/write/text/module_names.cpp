#include "write/text/module_names.h"

namespace carry::write::text {

using ir::ValueId;

void ModuleNames::take_entries(std::string_view main) {
  functions_.resize(m_.functions.size());
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (!f.is_entry) continue;
    const std::string_view wanted = m_.names().text(f.name);
    functions_[id.value] = scope_.take(wanted == "main" ? main : wanted);
    has_fragment_ = has_fragment_ || f.entry.stage == ir::Stage::fragment;
  }
}

void ModuleNames::take_globals(bool (*wants)(const ir::Global&)) {
  globals_.resize(m_.globals.size());
  for (ir::GlobalId id : m_.global_order) {
    const ir::Global& g = m_.globals[id];
    if (wants(g)) globals_[id.value] = scope_.take(m_.names().text(g.name));
  }
  for (ir::FunctionId id : m_.function_order) {
    if (functions_[id.value].empty()) functions_[id.value] = scope_.take(m_.names().text(m_.functions[id].name));
  }
  for (ir::InstId id : m_.module_insts) {
    std::string& name = globals_[m_.insts[id].first_result.index()];
    if (name.empty()) name = scope_.take("derived");
  }
}

std::vector<std::string> ModuleNames::live_entries() const {
  std::vector<std::string> names;
  for (ir::FunctionId id : m_.function_order) {
    if (m_.functions[id].is_entry && !m_.functions[id].dead) names.push_back(functions_[id.value]);
  }
  return names;
}

std::vector<std::string> ModuleNames::take_locals(const ir::Function& f, const FoldPlan& plan, NameScope& scope,
                                                  const LocalNameOptions& options) const {
  std::vector<std::string> names(f.value_types.size());
  for (const ir::Param& p : f.params) names[p.value.index()] = scope.take(m_.names().text(p.name));
  for (size_t i = 0; i < names.size(); ++i) {
    const ValueId v = ValueId::local(static_cast<uint32_t>(i));
    if (!names[i].empty() || !plan.definition(v) || plan.folded(v)) continue;
    const ir::Inst& inst = m_.insts[plan.definition(v)];
    const bool is_var = inst.op == Op::var;
    const bool part = options.names_unused_parts && inst.result_count > 1;
    if (!is_var && !part && plan.uses(v) == 0) continue;
    const std::string_view wanted = m_.names().text(f.value_names[i]);
    names[i] = scope.take(wanted.empty() ? (is_var ? "x" : "t") : wanted);
  }
  return names;
}

bool ModuleNames::add_struct(TypeId id) {
  if (structs_.count(id.value) != 0) return false;
  const StructDecl& decl = m_.types().struct_decl(id);
  const std::string_view wanted = m_.names().text(decl.name);
  Struct& made = structs_[id.value];
  made.name = scope_.take(wanted.empty() ? "Struct" : wanted);
  NameScope members(*rules_);
  for (const Member& member : decl.members) made.members.push_back(members.take(m_.names().text(member.name)));
  return true;
}

std::string without_trailing_lines(std::string text) {
  while (text.size() > 1 && text[text.size() - 1] == '\n' && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

}  // namespace carry::write::text
