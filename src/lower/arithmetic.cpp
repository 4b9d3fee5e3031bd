// Operators on values: componentwise, by columns for matrices, algebraic products, comparisons.
#include "lower/by_columns.h"

namespace carry::lower {

// --native-arithmetic frees what the source language leaves undefined only. D3D defines shifts past the width, unsigned division
// by zero and float to integer out of range (semantics.md 4.1); of these GLSL defines none.
uint32_t FunctionLowering::division_variant(bool sign) const {
  using V = ArithmeticVariant;
  if (m_.options.native_arithmetic && (sign || !m_.hlsl())) return static_cast<uint32_t>(V::raw);
  return static_cast<uint32_t>(m_.hlsl() ? V::ones : V::x0);
}

uint32_t FunctionLowering::total_variant() const {
  const bool native = m_.options.native_arithmetic && !m_.hlsl();
  return static_cast<uint32_t>(native ? ArithmeticVariant::raw : ArithmeticVariant::total);
}

ValueId FunctionLowering::arithmetic_vector(BinaryOp op, ValueId a, ValueId b, ScalarKind s, NodeId n) {
  const uint8_t flags = flags_of(n);
  const bool sign = is_signed_int(s);
  if (is_float(s)) {
    switch (op) {
      case BinaryOp::add: return b_.binary(Op::fadd, a, b, 0, flags);
      case BinaryOp::sub: return b_.binary(Op::fsub, a, b, 0, flags);
      case BinaryOp::mul: return b_.binary(Op::fmul, a, b, 0, flags);
      case BinaryOp::div: return b_.binary(Op::fdiv, a, b, 0, flags);
      case BinaryOp::rem: return b_.binary(Op::frem, a, b, 0, flags);
      default: break;
    }
  }
  switch (op) {
    case BinaryOp::add: return b_.binary(Op::add, a, b);
    case BinaryOp::sub: return b_.binary(Op::sub, a, b);
    case BinaryOp::mul: return b_.binary(Op::mul, a, b);
    case BinaryOp::div: return b_.binary(sign ? Op::sdiv : Op::udiv, a, b, division_variant(sign));
    case BinaryOp::rem: {
      const Op signed_op = !m_.hlsl() && m_.options.floored_mod ? Op::smod : Op::srem;
      return b_.binary(sign ? signed_op : Op::urem, a, b, division_variant(sign));
    }
    case BinaryOp::bit_and:
    case BinaryOp::logical_and: return b_.binary(Op::and_, a, b);
    case BinaryOp::bit_or:
    case BinaryOp::logical_or: return b_.binary(Op::or_, a, b);
    case BinaryOp::bit_xor:
    case BinaryOp::logical_xor: return b_.binary(Op::xor_, a, b);
    default: return unsupported(n, "this operator", types_.scalar(s));
  }
}

ValueId FunctionLowering::algebraic(ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n) {
  const uint8_t flags = flags_of(n);
  const ScalarKind s = types_.scalar_of(ta);
  if (types_.is_scalar(tb)) return b_.emit(Op::mat_scale, ir(ta), {a, b}, 0, flags);
  if (types_.is_scalar(ta)) return b_.emit(Op::mat_scale, ir(tb), {b, a}, 0, flags);
  if (is_matrix(ta) && is_matrix(tb)) {
    return b_.emit(Op::mat_mul, types_.matrix(s, types_[tb].columns, types_[ta].rows), {a, b}, 0, flags);
  }
  if (is_matrix(ta)) return b_.emit(Op::mat_vec, types_.vector(s, types_[ta].rows), {a, b}, 0, flags);
  return b_.emit(Op::vec_mat, types_.vector(s, types_[tb].columns), {a, b}, 0, flags);
}

ValueId FunctionLowering::shift(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n) {
  if (is_matrix(ta)) {
    const TypeId column = types_.part(ta, 0);
    return by_columns(ta, types_[ta].columns, [&](uint32_t i) {
      const bool same = is_matrix(tb);
      const ValueId left = part(a, ta, i), count = same ? part(b, tb, i) : b;
      return shift(op, left, column, count, same ? types_.part(tb, 0) : tb, n);
    });
  }
  ValueId count = to_u32(b, tb);
  const uint32_t size = types_.component_count(ta);
  if (types_.is_scalar(b_.type_of(count))) count = splat(count, size);
  if (op == BinaryOp::shift_left) return b_.binary(Op::shl, a, count, total_variant());
  return b_.binary(is_signed_int(types_.scalar_of(b_.type_of(a))) ? Op::ashr : Op::lshr, a, count, total_variant());
}

ValueId FunctionLowering::arithmetic(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n) {
  if (op == BinaryOp::shift_left || op == BinaryOp::shift_right) return shift(op, a, ta, b, tb, n);
  const bool ma = is_matrix(ta), mb = is_matrix(tb);
  if (op == BinaryOp::mul && (ma || mb)) {
    const bool scale = (types_.is_scalar(ta) && is_real_matrix(tb)) || (types_.is_scalar(tb) && is_real_matrix(ta));
    if (scale || !m_.hlsl()) return algebraic(a, ta, b, tb, n);
  }
  if (ma || mb) {
    const TypeId whole = ma ? ta : tb;
    const TypeId column = types_.part(whole, 0);
    return by_columns(whole, types_[whole].columns, [&](uint32_t i) {
      const ValueId left = ma ? part(a, ta, i) : a, right = mb ? part(b, tb, i) : b;
      return arithmetic(op, left, ma ? column : ta, right, mb ? column : tb, n);
    });
  }
  const uint32_t na = types_.component_count(ta), nb = types_.component_count(tb);
  if (na < nb) a = splat(a, nb);
  if (nb < na) b = splat(b, na);
  return arithmetic_vector(op, a, b, types_.scalar_of(b_.type_of(a)), n);
}

ValueId FunctionLowering::compare_vector(BinaryOp op, ValueId a, ValueId b, ScalarKind s) {
  const bool is_f = is_float(s), sign = is_signed_int(s);
  const Op less = is_f ? Op::flt : sign ? Op::slt : Op::ult;
  const Op less_equal = is_f ? Op::fle : sign ? Op::sle : Op::ule;
  switch (op) {
    case BinaryOp::equal: return b_.binary(is_f ? Op::feq : Op::eq, a, b);
    case BinaryOp::not_equal: return b_.binary(is_f ? Op::fne : Op::ne, a, b);
    case BinaryOp::less: return b_.binary(less, a, b);
    case BinaryOp::less_equal: return b_.binary(less_equal, a, b);
    case BinaryOp::greater: return b_.binary(less, b, a);
    default: return b_.binary(less_equal, b, a);
  }
}

ValueId FunctionLowering::equal_all(ValueId a, ValueId b, TypeId type, NodeId n) {
  if (m_.is_reference(type)) return b_.binary(Op::eq, a, b);
  if (types_.is_scalar(type)) return compare_vector(BinaryOp::equal, a, b, types_.scalar_of(type));
  if (types_.is_vector(type)) {
    return b_.emit(Op::all, TypeId::bool_, {compare_vector(BinaryOp::equal, a, b, types_.scalar_of(type))});
  }
  constexpr uint32_t kMostParts = 4096;
  const uint32_t count = types_.part_count(type);
  if (scalar_count(type) > kMostParts) return unsupported(n, "comparison of arrays this large", TypeId::bool_);
  ValueId result;
  for (uint32_t i = 0; i < count; ++i) {
    const ValueId left = part(a, type, i), right = part(b, type, i);
    const ValueId same = equal_all(left, right, types_.part(type, i), n);
    result = result ? b_.binary(Op::and_, result, same) : same;
  }
  return result ? result : b_.const_bool(true);
}

ValueId FunctionLowering::compare(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, TypeId result, NodeId n) {
  if (result == TypeId::bool_ && !types_.is_scalar(ta) && !types_.is_scalar(tb)) {
    const ValueId same = equal_all(a, b, ta, n);
    return op == BinaryOp::equal ? same : b_.unary(Op::not_, same);
  }
  const bool ma = is_matrix(ta), mb = is_matrix(tb);
  if (ma || mb) {
    const TypeId whole = ma ? ta : tb;
    const TypeId column = types_.part(whole, 0);
    return by_columns(result, types_[whole].columns, [&](uint32_t i) {
      const ValueId left = ma ? part(a, ta, i) : a, right = mb ? part(b, tb, i) : b;
      return compare(op, left, ma ? column : ta, right, mb ? column : tb, types_.part(result, 0), n);
    });
  }
  const uint32_t na = types_.component_count(ta), nb = types_.component_count(tb);
  if (na < nb) a = splat(a, nb);
  if (nb < na) b = splat(b, na);
  return compare_vector(op, a, b, types_.scalar_of(b_.type_of(a)));
}

ValueId FunctionLowering::negate(ValueId v, TypeId t, NodeId n) {
  if (is_matrix(t)) {
    return by_columns(t, types_[t].columns, [&](uint32_t i) { return negate(part(v, t, i), types_.part(t, 0), n); });
  }
  return b_.unary(is_float(types_.scalar_of(b_.type_of(v))) ? Op::fneg : Op::neg, v, flags_of(n));
}

}  // namespace carry::lower
