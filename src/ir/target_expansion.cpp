// Operations that a target lacks, by those that it has: table expansions, and matrix functions that no straight table can say.
#include "ir/expansion.h"

#include "ir/may_expand.h"

namespace carry::ir {

namespace {

using builtins::Bindings;
using builtins::ExpandInst;
using builtins::ExpandRef;
using builtins::ExpandTarget;
using builtins::Expansion;
using builtins::TargetExpansion;

bool lacks_matrix_function(Op op, ExpandTarget target) {
  return (op == Op::inverse || op == Op::outer_product) && (target == ExpandTarget::msl || target == ExpandTarget::wgsl);
}

// ---- inverse and outer product ----

struct MatrixEmitter {
  Builder& builder;
  uint8_t flags;
  TypeId scalar;
  uint32_t size = 0;
  std::vector<ValueId> elements;  // column by column

  ValueId op(Op o, ValueId x, ValueId y) { return builder.emit(o, scalar, {x, y}, 0, flags); }

  /// Determinant of what is left without the rows and columns in the masks, by its first column, in the order of ops/eval.
  ValueId minor_of(uint32_t skip_rows, uint32_t skip_columns) {
    uint32_t column = 0;
    while (column < size && (skip_columns >> column & 1) != 0) ++column;
    ValueId sum;
    bool plus = true;
    for (uint32_t r = 0; r < size; ++r) {
      if ((skip_rows >> r & 1) != 0) continue;
      const uint32_t rows = skip_rows | 1u << r, columns = skip_columns | 1u << column;
      ValueId term = elements[column * size + r];
      if (rows != (1u << size) - 1) term = op(Op::fmul, term, minor_of(rows, columns));
      sum = sum ? op(plus ? Op::fadd : Op::fsub, sum, term) : term;
      plus = !plus;
    }
    return sum;
  }

  ValueId inverse(ValueId matrix, TypeId type) {
    TypeTable& types = builder.module().types();
    size = types[type].columns;
    scalar = types.scalar(types.scalar_of(type));
    for (uint32_t c = 0; c < size; ++c) {
      const ValueId column = builder.elem(matrix, c);
      for (uint32_t r = 0; r < size; ++r) elements.push_back(builder.elem(column, r));
    }
    const ValueId determinant = minor_of(0, 0);
    std::vector<ValueId> columns;
    for (uint32_t c = 0; c < size; ++c) {
      std::vector<ValueId> parts;
      for (uint32_t r = 0; r < size; ++r) {
        ValueId cofactor = minor_of(1u << c, 1u << r);
        if ((c + r) % 2 != 0) cofactor = builder.emit(Op::fneg, scalar, {cofactor}, 0, flags);
        parts.push_back(op(Op::fdiv, cofactor, determinant));
      }
      columns.push_back(builder.make(types.part(type, c), parts));
    }
    return builder.make(type, columns);
  }
};

ValueId outer_product(Builder& builder, ValueId column, ValueId row, uint8_t flags) {
  TypeTable& types = builder.module().types();
  const TypeId type = builder.type_of(column);
  const uint32_t columns = types.component_count(builder.type_of(row));
  std::vector<ValueId> parts;
  for (uint32_t c = 0; c < columns; ++c) {
    const ValueId factor = builder.elem(row, c);
    parts.push_back(builder.emit(Op::fmul, type, {column, builder.make(type, {&factor, 1})}, 0, flags));
  }
  return builder.make(types.matrix(types.scalar_of(type), columns, types.component_count(type)), parts);
}

// ---- geometry of one component, which the text targets have for vectors only ----

bool lacks_scalar_form(Op op, ExpandTarget target) {
  if (target != ExpandTarget::msl && target != ExpandTarget::wgsl) return false;
  if (op == Op::length || op == Op::distance) return target == ExpandTarget::msl;
  return op == Op::normalize || op == Op::faceforward || op == Op::reflect || op == Op::refract;
}

ValueId scalar_refract(Builder& b, TypeId t, std::span<const ValueId> x, uint8_t flags) {
  const ValueId one = ValueId::constant(b.module().types().constant_bits(t, t == TypeId::f16 ? 0x3c00 : 0x3f800000));
  const auto op = [&](Op o, ValueId a, ValueId c) { return b.emit(o, t, {a, c}, 0, flags); };
  const ValueId d = op(Op::fmul, x[1], x[0]);
  const ValueId eta_squared = op(Op::fmul, x[2], x[2]);
  const ValueId k = op(Op::fsub, one, op(Op::fmul, eta_squared, op(Op::fsub, one, op(Op::fmul, d, d))));
  const ValueId along = op(Op::fmul, x[2], d);
  const ValueId bent = op(Op::fadd, along, b.emit(Op::sqrt, t, {k}, 0, flags));
  const ValueId straight = op(Op::fmul, x[2], x[0]);
  const ValueId ray = op(Op::fsub, straight, op(Op::fmul, bent, x[1]));
  return b.select(b.emit(Op::flt, TypeId::bool_, {k, b.zero(t)}), b.zero(t), ray);
}

ValueId scalar_form(Builder& b, Op op, std::span<const ValueId> x, uint8_t flags) {
  const TypeId t = b.type_of(x[0]);
  const auto two = [&](Op o, ValueId a, ValueId c) { return b.emit(o, t, {a, c}, 0, flags); };
  switch (op) {
    case Op::length: return b.emit(Op::fabs, t, {x[0]}, 0, flags);
    case Op::distance: return b.emit(Op::fabs, t, {two(Op::fsub, x[0], x[1])}, 0, flags);
    case Op::normalize: return two(Op::fdiv, x[0], b.emit(Op::fabs, t, {x[0]}, 0, flags));
    case Op::faceforward: {
      const ValueId faces = b.emit(Op::flt, TypeId::bool_, {two(Op::fmul, x[2], x[1]), b.zero(t)});
      return b.select(faces, x[0], b.emit(Op::fneg, t, {x[0]}, 0, flags));
    }
    case Op::reflect: {
      const ValueId d = two(Op::fmul, x[1], x[0]);
      return two(Op::fsub, x[0], two(Op::fmul, two(Op::fadd, d, d), x[1]));
    }
    default: return scalar_refract(b, t, x, flags);
  }
}

// ---- by table ----

struct Found {
  TargetExpansion row;
  Bindings bindings;
};

Found find(TypeTable& types, Op op, ExpandTarget target, std::span<const TypeId> operands) {
  Found found;
  if (!builtins::bind_operands(types, op, operands, found.bindings)) return found;
  found.row = builtins::target_expansion(op, target, found.bindings.scalar[0]);
  return found;
}

std::vector<TypeId> types_of(Builder& builder, std::span<const ValueId> values) {
  std::vector<TypeId> types;
  for (ValueId v : values) types.push_back(builder.type_of(v));
  return types;
}

/// One component after the other; results are put together.
bool emit_components(Builder& builder, const Found& found, ExpandTarget target, std::span<const ValueId> operands,
                     std::vector<ValueId>& results, uint8_t flags) {
  const uint32_t n = found.bindings.n;
  Bindings scalar = found.bindings;
  scalar.n = 1;
  std::vector<std::vector<ValueId>> parts(found.row.expansion->result_count);
  for (uint32_t c = 0; c < n; ++c) {
    std::vector<ValueId> args, values;
    for (ValueId v : operands) args.push_back(builder.module().types().is_vector(builder.type_of(v)) ? builder.elem(v, c) : v);
    if (!emit_expansion(builder, *found.row.expansion, scalar, args, values, flags, &target)) return false;
    for (size_t i = 0; i < values.size(); ++i) parts[i].push_back(values[i]);
  }
  for (const std::vector<ValueId>& p : parts) {
    TypeTable& types = builder.module().types();
    results.push_back(builder.make(types.vector(types.scalar_of(builder.type_of(p[0])), n), p));
  }
  return true;
}

}  // namespace

bool has_target_expansion(TypeTable& types, Op op, ExpandTarget target, std::span<const TypeId> operands) {
  if (lacks_matrix_function(op, target)) return true;
  if (lacks_scalar_form(op, target) && types.is_scalar(operands[0])) return true;
  return find(types, op, target, operands).row.expansion != nullptr;
}

bool may_expand(Op op, ExpandTarget target, ScalarKind scalar) {
  return lacks_matrix_function(op, target) || lacks_scalar_form(op, target) ||
         builtins::target_expansion(op, target, scalar).expansion != nullptr;
}

bool emit_target_expansion(Builder& builder, Op op, ExpandTarget target, std::span<const ValueId> operands,
                           std::vector<ValueId>& results, uint8_t flags) {
  if (lacks_matrix_function(op, target)) {
    MatrixEmitter emitter{builder, flags, {}, 0, {}};
    if (op == Op::inverse)
      results.push_back(emitter.inverse(operands[0], builder.type_of(operands[0])));
    else
      results.push_back(outer_product(builder, operands[0], operands[1], flags));
    return true;
  }
  if (lacks_scalar_form(op, target) && builder.module().types().is_scalar(builder.type_of(operands[0]))) {
    results.push_back(scalar_form(builder, op, operands, flags));
    return true;
  }
  const Found found = find(builder.module().types(), op, target, types_of(builder, operands));
  if (found.row.expansion == nullptr) return false;
  if (found.row.by_component && found.bindings.n > 1) return emit_components(builder, found, target, operands, results, flags);
  return emit_expansion(builder, *found.row.expansion, found.bindings, operands, results, flags, &target);
}

}  // namespace carry::ir
