// HLSL's mul, transpose, any, all: matrices are the IR's with rows as columns, so products swap sides.
#include "lower/by_columns.h"

namespace carry::lower {

ValueId FunctionLowering::dot_product(ValueId a, ValueId b, TypeId type, NodeId n) {
  const ScalarKind s = types_.scalar_of(b_.type_of(a));
  if (types_.is_scalar(type)) return arithmetic_vector(BinaryOp::mul, a, b, s, n);
  if (is_float(s)) return b_.emit(Op::dot, types_.scalar(s), {a, b}, 0, flags_of(n));
  const ValueId product = b_.binary(Op::mul, a, b);
  ValueId sum = part(product, type, 0);
  for (uint32_t i = 1; i < types_.component_count(type); ++i) sum = b_.binary(Op::add, sum, part(product, type, i));
  return sum;
}

ValueId FunctionLowering::hlsl_mul(NodeId n, const Call& c) {
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  const ValueId a = args[0].value, b = args[1].value;
  const TypeId ta = args[0].type, tb = args[1].type;
  if (types_.is_scalar(ta) || types_.is_scalar(tb)) return arithmetic(BinaryOp::mul, a, ta, b, tb, n);
  if (!is_matrix(ta) && !is_matrix(tb)) return dot_product(a, b, ta, n);
  const uint8_t flags = flags_of(n);
  const ScalarKind s = types_.scalar_of(c.result);
  const bool real = (!is_matrix(ta) || is_real_matrix(ta)) && (!is_matrix(tb) || is_real_matrix(tb)) &&
                    (!is_matrix(c.result) || is_real_matrix(c.result));
  if (real) {
    if (!is_matrix(ta)) return b_.emit(Op::mat_vec, ir(c.result), {b, a}, 0, flags);
    if (!is_matrix(tb)) return b_.emit(Op::vec_mat, ir(c.result), {b, a}, 0, flags);
    return b_.emit(Op::mat_mul, ir(c.result), {b, a}, 0, flags);
  }
  // Sum over k of v[k] * row k of m.
  const auto row_times = [&](ValueId v, TypeId tv, ValueId m, TypeId tm) {
    const TypeId row = types_.part(tm, 0);
    ValueId sum;
    for (uint32_t k = 0; k < types_[tm].columns; ++k) {
      const ValueId factor = splat(part(v, tv, k), types_.component_count(row)), line = part(m, tm, k);
      const ValueId term = arithmetic_vector(BinaryOp::mul, factor, line, s, n);
      sum = sum ? arithmetic_vector(BinaryOp::add, sum, term, s, n) : term;
    }
    return sum;
  };
  if (!is_matrix(ta)) return row_times(a, ta, b, tb);
  const TypeId row = types_.part(ta, 0);
  if (!is_matrix(tb)) {
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < types_[ta].columns; ++i) parts.push_back(dot_product(part(a, ta, i), b, row, n));
    return build(ir(c.result), parts);
  }
  return by_columns(c.result, types_[ta].columns, [&](uint32_t i) { return row_times(part(a, ta, i), row, b, tb); });
}

ValueId FunctionLowering::transposed(ValueId v, TypeId from, TypeId to, NodeId n) {
  if (is_real_matrix(from)) return b_.emit(Op::transpose, ir(to), {v}, 0, flags_of(n));
  const TypeId line = types_.part(from, 0);
  return by_columns(to, types_[to].columns, [&](uint32_t c) {
    std::vector<ValueId> parts;
    for (uint32_t r = 0; r < types_[to].rows; ++r) parts.push_back(part(part(v, from, r), line, c));
    return build(ir(types_.part(to, 0)), parts);
  });
}

ValueId FunctionLowering::any_or_all(ValueId v, TypeId type, Op op) {
  if (is_matrix(type)) {
    ValueId result;
    for (uint32_t i = 0; i < types_[type].columns; ++i) {
      const ValueId one = any_or_all(part(v, type, i), types_.part(type, 0), op);
      result = result ? b_.binary(op == Op::any ? Op::or_ : Op::and_, result, one) : one;
    }
    return result;
  }
  const ValueId c = convert_scalar_kind(v, type, ScalarKind::bool_);
  return types_.is_scalar(type) ? c : b_.emit(op, TypeId::bool_, {c});
}

}  // namespace carry::lower
