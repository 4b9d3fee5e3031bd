// Conversions between the checker's types (facts.h, Conversion).
#include "lower/by_columns.h"

namespace carry::lower {

ValueId FunctionLowering::convert_scalar_kind(ValueId v, TypeId from, ScalarKind to) {
  const ScalarKind s = types_.scalar_of(b_.type_of(v));
  if (s == to) return v;
  const TypeId shape = b_.type_of(v);
  const TypeId result = types_.with_scalar(shape, to);
  const uint32_t n = types_.component_count(shape);
  static_cast<void>(from);
  if (v.is_constant() && types_.is_scalar(shape) && is_int(s) && is_int(to) && scalar_bits(s) == scalar_bits(to)) {
    return const_int(result, static_cast<int64_t>(types_.constant(v.const_id()).bits));
  }
  if (s == ScalarKind::bool_) {
    // A scalar condition chooses whole values, a vector one chooses by component.
    static_cast<void>(n);
    return b_.select(v, number(result, 1), number(result, 0));
  }
  if (to == ScalarKind::bool_) return b_.binary(is_float(s) ? Op::fne : Op::ne, v, b_.zero(shape));
  if (is_float(s) && is_float(to)) return b_.convert(Op::f_to_f, result, v);
  if (is_float(s)) return b_.convert(is_signed_int(to) ? Op::f_to_s : Op::f_to_u, result, v, total_variant());
  if (is_float(to)) return b_.convert(is_signed_int(s) ? Op::s_to_f : Op::u_to_f, result, v);
  if (scalar_bits(s) != scalar_bits(to)) {
    const bool sign = is_signed_int(s);
    const ScalarKind mid = sign ? to_signed(to) : to_unsigned(to);
    const Op op = scalar_bits(to) < scalar_bits(s) ? Op::trunc : sign ? Op::sext : Op::zext;
    v = b_.convert(op, types_.with_scalar(shape, mid), v);
    if (mid == to) return v;
  }
  return b_.convert(Op::bitcast, result, v);
}

ValueId FunctionLowering::convert_numeric(ValueId v, TypeId from, TypeId to) {
  const ScalarKind s = types_.scalar_of(to);
  if (!is_matrix(from)) return convert_scalar_kind(v, from, s);
  const TypeId column = types_.vector(types_.scalar_of(from), types_[from].rows);
  return by_columns(to, types_[from].columns, [&](uint32_t i) { return convert_scalar_kind(part(v, from, i), column, s); });
}

ValueId FunctionLowering::truncate(ValueId v, TypeId from, TypeId to) {
  if (is_matrix(from)) {
    const TypeId column = types_.part(from, 0);
    if (types_.is_scalar(to)) return part(part(v, from, 0), column, 0);
    if (types_.is_vector(to)) return truncate(part(v, from, 0), column, to);
    return by_columns(to, types_[to].columns,
                      [&](uint32_t i) { return truncate(part(v, from, i), column, types_.part(to, 0)); });
  }
  const uint32_t count = types_.component_count(to);
  if (count == types_.component_count(from)) return v;
  if (count == 1) return part(v, from, 0);
  static constexpr uint32_t kFirst[] = {0, 1, 2, 3};
  return b_.shuffle(v, v, std::span<const uint32_t>(kFirst, count));
}

ValueId FunctionLowering::convert(ValueId v, TypeId from, TypeId to, NodeId n) {
  if (from == to) return v;
  if (types_.kind(from) == TypeKind::object) {
    const ObjectKind k = types_[from].object;
    if (k == ObjectKind::constant_buffer || k == ObjectKind::texture_buffer) return convert(v, types_[from].element, to, n);
  }
  const ScalarKind s = types_.scalar_of(to);  // of the source type: matrices may be arrays in the IR
  switch (classify_conversion(types_, from, to)) {
    case Conversion::identity: return v;
    case Conversion::numeric: return convert_numeric(v, from, to);
    case Conversion::splat: {
      const ValueId scalar = convert_scalar_kind(types_.is_vector(from) ? part(v, from, 0) : v, from, s);
      if (!is_matrix(to)) return splat(scalar, types_.component_count(to));
      const ValueId column = splat(scalar, types_[to].rows);
      return by_columns(to, types_[to].columns, [&](uint32_t) { return column; });
    }
    case Conversion::truncate:
      if (is_matrix(from) && is_matrix(to)) {
        const TypeId mid = types_.with_scalar(to, types_.scalar_of(from));
        return convert_numeric(truncate(v, from, mid), mid, to);
      }
      return convert_scalar_kind(truncate(v, from, to), from, s);
    case Conversion::reshape:
    case Conversion::flatten: {
      std::vector<Leaf> all;
      if (types_.is_scalar(from) && (types_.kind(to) == TypeKind::struct_ || types_.kind(to) == TypeKind::array)) {
        all.assign(scalar_count(to), Leaf{v, from});
      } else {
        leaves(v, from, all);
      }
      size_t next = 0;
      return from_leaves(to, all, next);
    }
    case Conversion::impossible: break;
  }
  return unsupported(n, "this conversion", to);
}

}  // namespace carry::lower
