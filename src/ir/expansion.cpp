#include "ir/expansion.h"

#include <algorithm>

namespace carry::ir {

namespace {

using builtins::Action;
using builtins::Bindings;
using builtins::Direction;
using builtins::ExpandInst;
using builtins::ExpandRef;
using builtins::ExpandTarget;
using builtins::Expansion;
using builtins::Form;
using builtins::Param;
using builtins::PatternKind;

uint32_t base_payload(Builder& b, Op op, uint32_t payload, std::span<const ValueId> operands) {
  if (!has_trait(op, kAtomic) || operands.empty()) return payload;
  return relaxed_atomic(b.module().types()[b.type_of(operands[0])].space);
}

/// A scalar where a vector is wanted stands for all components.
ValueId spread(Builder& b, ValueId v, TypeId wanted) {
  TypeTable& types = b.module().types();
  if (!types.is_scalar(b.type_of(v)) || !types.is_vector(wanted)) return v;
  const TypeId type = types.with_scalar(wanted, types.scalar_of(b.type_of(v)));
  if (v.is_constant()) return ValueId::constant(types.splat(type, v.const_id()));
  return b.make(type, std::span<const ValueId>(&v, 1));
}

struct Emitter {
  Builder& builder;
  const Bindings& bindings;
  std::span<const ValueId> args;
  uint8_t flags;
  std::vector<ValueId> temps;
  const ExpandTarget* target = nullptr;  // expand what this one lacks, too

  ValueId value(ExpandRef ref) {
    switch (ref.kind) {
      case ExpandRef::Kind::param: return args[ref.index];
      case ExpandRef::Kind::temp: return temps[ref.index];
      default:
        return ValueId::constant(builtins::literal_constant(builder.module().types(), builtins::literal(ref.index), bindings));
    }
  }

  bool emit(const ExpandInst& inst) {
    TypeTable& types = builder.module().types();
    std::vector<ValueId> operands;
    for (uint32_t i = 0; i < inst.operand_count; ++i) operands.push_back(value(builtins::operand(inst, i)));
    uint32_t payload = base_payload(builder, inst.op, inst.payload, operands);
    if (inst.payload_param != 255) {
      const ValueId v = args[inst.payload_param];
      if (!v.is_constant()) return false;
      payload |= static_cast<uint32_t>(types.constant(v.const_id()).bits) << inst.payload_shift;
    }
    if (target != nullptr && emit_target_expansion(builder, inst.op, *target, operands, temps, flags)) return true;
    if (inst.op == Op::make && operands.size() == 1) {
      temps.push_back(spread(builder, operands[0], builtins::instantiate(types, inst.results[0], bindings)));
      return true;
    }
    TypeId results[2];
    for (uint32_t i = 0; i < inst.result_count; ++i) results[i] = builtins::instantiate(types, inst.results[i], bindings);
    if (inst.op == Op::make && operands.size() == 1 && results[0] == builder.type_of(operands[0])) {
      temps.push_back(operands[0]);  // a splat to one component
      return true;
    }
    const InstId id = builder.emit_full(inst.op, {results, inst.result_count}, operands, {}, payload, flags);
    for (uint32_t i = 0; i < inst.result_count; ++i) temps.push_back(builder.module().result(builder.module().insts[id], i));
    return true;
  }
};

/// Types of the form's value and out parameters.
std::vector<TypeId> result_types(TypeTable& types, const Form& form, const Bindings& b) {
  std::vector<TypeId> found;
  if (form.result.kind != PatternKind::void_) found.push_back(builtins::instantiate(types, form.result, b));
  for (const Param& p : builtins::params(form)) {
    if (p.direction == Direction::out || p.direction == Direction::inout)
      found.push_back(builtins::instantiate(types, p.type, b));
  }
  return found;
}

/// Differences of halves: SPIR-V and WGSL have them of 32 bits only, so all targets compute them there.
ValueId half_derivative(Builder& builder, Op op, ValueId x, TypeId half, uint8_t flags) {
  const TypeId wide = builder.module().types().with_scalar(half, ScalarKind::f32);
  return builder.convert(Op::f_to_f, half, builder.unary(op, builder.convert(Op::f_to_f, wide, x), flags));
}

bool emit_op(Builder& builder, const Form& form, Op op, const Bindings& bindings, std::span<const ValueId> args,
             std::vector<ValueId>& results, uint8_t flags) {
  TypeTable& types = builder.module().types();
  std::vector<TypeId> found = result_types(types, form, bindings);
  const size_t wanted = found.size();
  const OpRow& row = op_row(op);
  // An atomic whose old value nobody takes still has its result.
  if (found.empty() && row.results == 1) found.push_back(types[builder.type_of(args[0])].element);
  if (found.size() > static_cast<size_t>(row.results)) found.resize(static_cast<size_t>(row.results));
  std::vector<ValueId> spread_args(args.begin(), args.end());
  if (has_trait(op, kComp) && !found.empty()) {
    for (ValueId& v : spread_args) v = spread(builder, v, found[0]);
  }
  if (has_trait(op, kDerivative) && types.scalar_of(found[0]) == ScalarKind::f16) {
    results.push_back(half_derivative(builder, op, spread_args[0], found[0], flags));
    return true;
  }
  const InstId id = builder.emit_full(op, found, spread_args, {}, base_payload(builder, op, 0, args), flags);
  for (uint32_t i = 0; i < wanted && i < found.size(); ++i)
    results.push_back(builder.module().result(builder.module().insts[id], i));
  return true;
}

bool emit_plain(Builder& builder, const Form& form, const Bindings& bindings, std::span<const ValueId> args,
                std::vector<ValueId>& results, uint8_t flags) {
  const Action& action = builtins::action(form, bindings);
  if (action.kind == Action::Kind::op) return emit_op(builder, form, action.op, bindings, args, results, flags);
  if (action.kind != Action::Kind::expand) return false;
  return emit_expansion(builder, builtins::expansions()[action.index], bindings, args, results, flags);
}

bool has_any_pattern(const Form& form) {
  for (const Param& p : builtins::params(form)) {
    if (p.type.kind == PatternKind::any) return true;
  }
  return false;
}

/// One matrix argument cut into columns; others stay.
std::vector<ValueId> column_args(Builder& builder, const Form& form, std::span<const ValueId> args, uint32_t column) {
  std::vector<ValueId> found;
  size_t next = 0;
  for (const Param& p : builtins::params(form)) {
    if (p.direction == Direction::out || next == args.size()) continue;
    const ValueId v = args[next++];
    found.push_back(p.type.kind == PatternKind::any ? builder.elem(v, column) : v);
  }
  return found;
}

}  // namespace

TypeId matrix_value_type(TypeTable& types, ScalarKind scalar, uint32_t columns, uint32_t rows) {
  return is_float(scalar) ? types.matrix(scalar, columns, rows) : types.array(types.vector(scalar, rows), columns);
}

uint32_t relaxed_atomic(Space space) {
  const Scope scope = space == Space::workgroup                              ? Scope::workgroup
                      : space == Space::function || space == Space::private_ ? Scope::invocation
                                                                             : Scope::device;
  return AtomicInfo{scope, Order::relaxed}.pack();
}

bool emit_expansion(Builder& builder, const Expansion& expansion, const Bindings& bindings, std::span<const ValueId> args,
                    std::vector<ValueId>& results, uint8_t flags, const ExpandTarget* target) {
  Emitter emitter{builder, bindings, args, flags, {}, target};
  for (const ExpandInst& inst : builtins::insts(expansion)) {
    if (!emitter.emit(inst)) return false;
  }
  for (uint32_t i = 0; i < expansion.result_count; ++i) results.push_back(emitter.value(builtins::result(expansion, i)));
  return true;
}

bool emit_form(Builder& builder, const Form& form, const Bindings& bindings, std::span<const ValueId> args,
               std::vector<ValueId>& results, uint8_t flags) {
  if (bindings.columns == 0 || !has_any_pattern(form)) return emit_plain(builder, form, bindings, args, results, flags);
  Bindings column = bindings;
  column.columns = 0;
  column.n = bindings.rows;
  if (bindings.columns == 1 || bindings.rows == 1) {  // one row or column: a vector
    column.n = std::max(bindings.columns, bindings.rows);
    return emit_plain(builder, form, column, args, results, flags);
  }
  std::vector<std::vector<ValueId>> parts;  // by result, then column
  for (uint32_t c = 0; c < bindings.columns; ++c) {
    std::vector<ValueId> found;
    if (!emit_plain(builder, form, column, column_args(builder, form, args, c), found, flags)) return false;
    parts.resize(found.size());
    for (size_t i = 0; i < found.size(); ++i) parts[i].push_back(found[i]);
  }
  TypeTable& types = builder.module().types();
  for (const std::vector<ValueId>& p : parts) {
    const ScalarKind s = types.scalar_of(builder.type_of(p[0]));
    results.push_back(builder.make(matrix_value_type(types, s, bindings.columns, bindings.rows), p));
  }
  return true;
}

}  // namespace carry::ir
