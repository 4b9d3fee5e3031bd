// Calls of built-in functions: an operation, an expansion, or a hook, as the form's table says.
#include "ir/expansion.h"
#include "lower/function_lowering.h"

namespace carry::lower {

ValueId FunctionLowering::reference(const Place& p, NodeId n) {
  if (p.kind == Place::Kind::texel) return texel_pointer(p, n);
  if (p.kind == Place::Kind::memory) return pointer(p);
  m_.unsupported(n, "an atomic operation on this");
  return b_.var(TypeId::u32);
}

ValueId FunctionLowering::finish_results(const Call& c, std::span<const ValueId> results, std::vector<BoundArgument>& args) {
  size_t next = 0;
  ValueId v;
  if (c.form->result.kind != builtins::PatternKind::void_ && !results.empty()) v = results[next++];
  for (BoundArgument& a : args) {
    if (a.mode != ParamMode::out && a.mode != ParamMode::inout) continue;
    if (next < results.size()) copy_out(a, results[next++], a.type);
  }
  return v;
}

ValueId FunctionLowering::call_builtin(NodeId n, const Call& c) {
  using Kind = builtins::Action::Kind;
  const builtins::Action& action = builtins::action(*c.form, c.bindings);
  if (action.kind == Kind::hook) return apply_hook(n, c, static_cast<builtins::Hook>(action.index));
  if (action.kind == Kind::none) return unsupported(n, "`" + std::string(c.form->name) + "` of these types", c.result);
  std::vector<BoundArgument> args = bind_arguments(c);
  std::vector<ValueId> values;
  for (const BoundArgument& a : args) {
    if (a.mode == ParamMode::out) continue;
    values.push_back(a.mode == ParamMode::ref ? reference(a.place, a.node) : a.value);
  }
  at(n);
  std::vector<ValueId> results;
  if (!ir::emit_form(b_, *c.form, c.bindings, values, results, flags_of(n))) {
    return unsupported(n, "these arguments of a built-in function", c.result);
  }
  const ValueId v = finish_results(c, results, args);
  return v ? adapt(v, ir(c.result)) : v;
}

}  // namespace carry::lower
