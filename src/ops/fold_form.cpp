#include "ops/fold_form.h"

#include "ops/fold.h"

namespace carry {

namespace {

using namespace builtins;

bool fold_op(TypeTable& types, const Form& form, Op op, const Bindings& b, std::span<const ConstId> args,
             std::vector<ConstId>& results) {
  std::vector<TypeId> wanted;
  if (form.result.kind != PatternKind::void_) wanted.push_back(instantiate(types, form.result, b));
  for (const Param& p : params(form)) {
    if (p.direction == Direction::out) wanted.push_back(instantiate(types, p.type, b));
    if (p.direction == Direction::inout || p.direction == Direction::ref) return false;
  }
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    results.push_back(fold(types, op, wanted[i], args, 0, i));
    if (!results.back()) return false;
  }
  return true;
}

bool fold_plain(TypeTable& types, const Form& form, const Bindings& b, std::span<const ConstId> args,
                std::vector<ConstId>& results) {
  const Action& a = action(form, b);
  if (a.kind == Action::Kind::op) return fold_op(types, form, a.op, b, args, results);
  return a.kind == Action::Kind::expand && fold_expansion(types, expansions()[a.index], b, args, results);
}

bool has_any_pattern(const Form& form) {
  for (const Param& p : params(form)) {
    if (p.type.kind == PatternKind::any) return true;
  }
  return false;
}

}  // namespace

bool fold_expansion(TypeTable& types, const Expansion& expansion, const Bindings& b, std::span<const ConstId> args,
                    std::vector<ConstId>& results) {
  if (args.size() != expansion.param_count) return false;
  std::vector<ConstId> temps;
  const auto value = [&](ExpandRef ref) {
    if (ref.kind == ExpandRef::Kind::param) return args[ref.index];
    return ref.kind == ExpandRef::Kind::temp ? temps[ref.index] : literal_constant(types, literal(ref.index), b);
  };
  for (const ExpandInst& inst : insts(expansion)) {
    if (inst.payload_param != 255) return false;
    std::vector<ConstId> operands;
    for (uint32_t i = 0; i < inst.operand_count; ++i) operands.push_back(value(operand(inst, i)));
    for (uint32_t i = 0; i < inst.result_count; ++i) {
      temps.push_back(fold(types, inst.op, instantiate(types, inst.results[i], b), operands, inst.payload, i));
      if (!temps.back()) return false;
    }
  }
  for (uint32_t i = 0; i < expansion.result_count; ++i) results.push_back(value(result(expansion, i)));
  return true;
}

bool fold_form(TypeTable& types, const Form& form, const Bindings& b, std::span<const ConstId> args,
               std::vector<ConstId>& results) {
  if (b.columns == 0 || !has_any_pattern(form)) return fold_plain(types, form, b, args, results);
  Bindings column = b;
  column.columns = 0;
  column.n = b.rows;
  std::vector<std::vector<ConstId>> parts;
  for (uint32_t c = 0; c < b.columns; ++c) {
    std::vector<ConstId> cut, found;
    for (ConstId a : args) cut.push_back(types.is_matrix(types.constant(a).type) ? types.part_of(a, c) : a);
    if (!fold_plain(types, form, column, cut, found)) return false;
    parts.resize(found.size());
    for (size_t i = 0; i < found.size(); ++i) parts[i].push_back(found[i]);
  }
  for (const std::vector<ConstId>& p : parts) {
    const ScalarKind s = types.scalar_of(types.constant(p[0]).type);
    results.push_back(types.constant_composite(types.matrix(s, b.columns, b.rows), p));
  }
  return true;
}

}  // namespace carry
