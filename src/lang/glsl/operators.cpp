// Types of GLSL operators, semantics.md 2.2.
#include "check/checker.h"

namespace carry::check {
namespace {

bool is_bitwise(BinaryOp op) { return op == BinaryOp::bit_and || op == BinaryOp::bit_or || op == BinaryOp::bit_xor; }
bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }
bool is_relational(BinaryOp op) {
  return op == BinaryOp::less || op == BinaryOp::greater || op == BinaryOp::less_equal || op == BinaryOp::greater_equal;
}
bool is_equality(BinaryOp op) { return op == BinaryOp::equal || op == BinaryOp::not_equal; }
bool is_logical(BinaryOp op) {
  return op == BinaryOp::logical_and || op == BinaryOp::logical_or || op == BinaryOp::logical_xor;
}

/// Shape of `a op b`; none when they do not meet.
TypeId shape_of(TypeTable& types, BinaryOp op, TypeId a, TypeId b, ScalarKind s) {
  const Type x = types[a];
  const Type y = types[b];
  if (x.kind == TypeKind::scalar) return types.with_scalar(b, s);
  if (y.kind == TypeKind::scalar) return types.with_scalar(a, s);
  if (x.kind == TypeKind::vector && y.kind == TypeKind::vector)
    return x.rows == y.rows ? types.vector(s, x.rows) : TypeId::none();
  if (op == BinaryOp::mul) {
    if (x.kind == TypeKind::matrix && y.kind == TypeKind::vector)
      return x.columns == y.rows ? types.vector(s, x.rows) : TypeId::none();
    if (x.kind == TypeKind::vector && y.kind == TypeKind::matrix)
      return x.rows == y.rows ? types.vector(s, y.columns) : TypeId::none();
    return x.columns == y.rows ? types.matrix(s, y.columns, x.rows) : TypeId::none();
  }
  if (x.kind == TypeKind::matrix && y.kind == TypeKind::matrix && x.columns == y.columns && x.rows == y.rows)
    return types.matrix(s, x.columns, x.rows);
  return TypeId::none();
}

}  // namespace

TypeId Checker::glsl_arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation) {
  const TypeId ta = facts_.result_type(a);
  const TypeId tb = facts_.result_type(b);
  const std::string name = std::string(binary_op_text(op)) + (compound ? "=" : "");
  auto mismatch = [&] { return operand_mismatch(n, name, a, b); };
  if (is_logical(op)) {
    if (ta != TypeId::bool_ || tb != TypeId::bool_) return mismatch();
    return operation = TypeId::bool_;
  }
  if (is_equality(op)) return glsl_equality(n, op, a, b, operation);
  if (!types_.is_numeric(ta) || !types_.is_numeric(tb)) return mismatch();
  const ScalarKind sa = types_.scalar_of(ta);
  const ScalarKind sb = types_.scalar_of(tb);
  if (sa == ScalarKind::bool_ || sb == ScalarKind::bool_) return mismatch();
  const bool ints = is_int(sa) && is_int(sb);
  const bool old = mode_.is_es() ? mode_.glsl_version < 300 : mode_.glsl_version < 130;
  if (is_shift(op) || is_bitwise(op) || op == BinaryOp::rem) {
    if (!ints) return mismatch();
    if (old && !has_ext("GL_EXT_gpu_shader4")) {
      missing({loc(n), {}}, name, {.version = static_cast<uint16_t>(mode_.is_es() ? 300 : 130)});
      return TypeId::error;
    }
  }
  if (is_shift(op)) {
    if (types_.is_scalar(ta) ? !types_.is_scalar(tb)
                             : !types_.is_scalar(tb) && types_.component_count(ta) != types_.component_count(tb))
      return mismatch();
    return operation = ta;
  }
  if (is_relational(op) && (!types_.is_scalar(ta) || !types_.is_scalar(tb))) return mismatch();
  const ScalarKind s = rules_.common(sa, sb);
  if (s == ScalarKind::none) return mismatch();
  if (is_bitwise(op) && sa != sb && options_.strict_types && !mode_.is_es() && mode_.glsl_version < 450 &&
      !rules_.explicit_types)
    return mismatch();
  if (types_.is_matrix(ta) || types_.is_matrix(tb)) {
    if (!is_float(s) || is_relational(op)) return mismatch();
    // matrices convert only among float kinds; a scalar or vector beside one may be an int.
    if ((types_.is_matrix(ta) && !is_float(sa)) || (types_.is_matrix(tb) && !is_float(sb))) return mismatch();
  }
  const TypeId shape = shape_of(types_, op, ta, tb, s);
  if (!shape) return mismatch();
  // `a op= b`: the result must convert to a; if it cannot because of b's kind, that is the fault to name.
  if (compound && s != sa && !rules_.converts(s, sa)) {
    diags_.emit(range(b), diag::no_implicit_conversion, type_text(tb), type_text(ta), "`" + name + "`");
    return TypeId::error;
  }
  if (compound && shape != types_.with_scalar(ta, s)) return mismatch();
  if (!compound) convert(a, types_.with_scalar(ta, s));
  convert(b, types_.with_scalar(tb, s));
  operation = types_.with_scalar(ta, s);
  return is_relational(op) ? TypeId::bool_ : shape;
}

TypeId Checker::glsl_equality(NodeId n, BinaryOp op, NodeId a, NodeId b, TypeId& operation) {
  const TypeId ta = facts_.result_type(a);
  const TypeId tb = facts_.result_type(b);
  if (contains_opaque(ta) || has_unsized(ta)) {
    return operand_mismatch(n, binary_op_text(op), a, b);
  }
  if (ta != tb) {
    const bool numeric = types_.is_numeric(ta) && types_.is_numeric(tb);
    const ScalarKind s = numeric ? rules_.common(types_.scalar_of(ta), types_.scalar_of(tb)) : ScalarKind::none;
    if (s == ScalarKind::none) return operand_mismatch(n, binary_op_text(op), a, b);
    const TypeId t = types_.with_scalar(ta, s);
    if (t != types_.with_scalar(tb, s) || !converts_implicitly(ta, t) || !converts_implicitly(tb, t))
      return operand_mismatch(n, binary_op_text(op), a, b);
    convert(a, t);
    convert(b, t);
  }
  operation = facts_.result_type(a);
  return TypeId::bool_;
}

}  // namespace carry::check
