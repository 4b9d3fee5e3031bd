// Types of HLSL operators, semantics.md 2.4.
#include "check/checker.h"

namespace carry::check {
namespace {

bool is_bitwise(BinaryOp op) { return op == BinaryOp::bit_and || op == BinaryOp::bit_or || op == BinaryOp::bit_xor; }
bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }
bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }

}  // namespace

// The shape that both operands take: a scalar spreads, the smaller of two vectors or matrices wins.
TypeId Checker::hlsl_common_shape(TypeId ta, TypeId tb) const {
  if (types_.is_scalar(ta)) return tb;
  if (types_.is_scalar(tb)) return ta;
  const Type& a = types_[ta];
  const Type& b = types_[tb];
  if (a.kind == b.kind) {
    if (a.kind == TypeKind::vector) return a.rows <= b.rows ? ta : tb;
    if (a.rows <= b.rows && a.columns <= b.columns) return ta;
    if (b.rows <= a.rows && b.columns <= a.columns) return tb;
    return TypeId::none();
  }
  const TypeId m = a.kind == TypeKind::matrix ? ta : tb;
  const TypeId v = a.kind == TypeKind::matrix ? tb : ta;
  return uint32_t{types_[m].rows} * types_[m].columns == types_[v].rows ? v : TypeId::none();
}

TypeId Checker::hlsl_arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation) {
  TypeId ta = facts_.result_type(a);
  TypeId tb = facts_.result_type(b);
  const std::string name = std::string(binary_op_text(op)) + (compound ? "=" : "");
  auto mismatch = [&] { return operand_mismatch(n, name, a, b); };
  if (!types_.is_numeric(ta) || !types_.is_numeric(tb)) return mismatch();
  const ScalarKind sa = types_.scalar_of(ta);
  const ScalarKind sb = types_.scalar_of(tb);
  if (op == BinaryOp::logical_xor) return mismatch();
  const TypeId shape = compound ? ta : hlsl_common_shape(ta, tb);
  if (!shape) return mismatch();
  auto take = [&](NodeId c, TypeId to) {
    const TypeId from = facts_.result_type(c);
    if (from == to) return true;
    if (!converts_implicitly(from, to)) return false;
    warn_hlsl_conversion(c, from, to);
    convert(c, to);
    return true;
  };
  // A scalar beside a vector or matrix stays one: the operation spreads it.
  auto wanted = [&](TypeId own, ScalarKind s) {
    return types_.is_scalar(own) && !is_shift(op) ? types_.scalar(s) : types_.with_scalar(shape, s);
  };
  if (is_logical(op)) {
    if (mode_.hlsl_version >= 2021 && (!types_.is_scalar(ta) || !types_.is_scalar(tb))) {
      diags_.emit(range(n), diag::vector_condition, name, op == BinaryOp::logical_and ? "and" : "or");
      return TypeId::error;
    }
    take(a, types_.with_scalar(shape, ScalarKind::bool_));
    take(b, types_.with_scalar(shape, ScalarKind::bool_));
    return operation = types_.with_scalar(shape, ScalarKind::bool_);
  }
  if (is_shift(op)) return hlsl_shift(n, op, a, b, compound, operation);
  ScalarKind s = rules_.common(sa, sb);
  if (compound) s = sa;
  if (s == ScalarKind::bool_ && !is_comparison(op)) s = ScalarKind::i32;
  if (is_bitwise(op) && !is_int(s)) return mismatch();
  if (compound && is_bitwise(op) && is_float(sb)) return mismatch();
  if (!compound && !take(a, wanted(ta, s))) return mismatch();
  if (compound) {
    // The right side converts to the left's shape and type first.
    if (!take(b, wanted(tb, s))) {
      diags_.emit(range(b), diag::no_implicit_conversion, type_text(tb), type_text(ta), "`" + name + "`");
      return TypeId::error;
    }
  } else if (!take(b, wanted(tb, s))) {
    return mismatch();
  }
  operation = types_.with_scalar(compound ? ta : types_.is_scalar(ta) ? ta : shape, s);
  const TypeId result = types_.with_scalar(shape, s);
  warn_hex_literal(op, a, b);
  return is_comparison(op) ? types_.with_scalar(shape, ScalarKind::bool_) : result;
}

TypeId Checker::hlsl_shift(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation) {
  const TypeId ta = facts_.result_type(a);
  const TypeId tb = facts_.result_type(b);
  ScalarKind sa = types_.scalar_of(ta);
  const ScalarKind sb = types_.scalar_of(tb);
  if (is_float(sa) || is_float(sb)) return operand_mismatch(n, binary_op_text(op), a, b);
  if (sa == ScalarKind::bool_) sa = ScalarKind::i32;
  if (sa == ScalarKind::lit_int && sb != ScalarKind::lit_int) {
    sa = is_unsigned_int(sb) ? ScalarKind::u32 : ScalarKind::i32;
    if (!value_of(b)) diags_.emit(range(a), diag::ambig_lit_shift, binary_op_text(op));
  }
  const TypeId shape = compound ? ta : hlsl_common_shape(ta, tb);
  if (!shape) return operand_mismatch(n, binary_op_text(op), a, b);
  const TypeId t = types_.with_scalar(shape, sa);
  if (!compound && facts_.result_type(a) != t) convert(a, t);
  if (!converts_implicitly(facts_.result_type(b), t)) return operand_mismatch(n, binary_op_text(op), a, b);
  // A 64-bit count beside a 32-bit left side is cut like any conversion: only its low bits count.
  if (facts_.result_type(b) != t) convert(b, types_.is_scalar(tb) && types_.is_scalar(shape) ? types_.scalar(sa) : t);
  operation = t;
  return t;
}

// A hex or octal literal with bit 31 set is signed up to 2021, where FXC and 202x have uint.
void Checker::warn_hex_literal(BinaryOp, NodeId a, NodeId b) {
  if (mode_.hlsl_version > 2021 || !diags_.enabled(DiagId::hlsl_legacy_literal)) return;
  for (NodeId c : {a, b}) {
    const NodeId core = strip_parens(c);
    if (!tree_.is(core, NodeKind::int_literal) || type_of(core) != TypeId::lit_int || !value_of(core)) continue;
    const std::string_view t = token_text(core);
    const TypeId to = facts_.result_type(c);
    if (t.size() < 2 || t[0] != '0' || !types_.is_numeric(to) || is_unsigned_int(types_.scalar_of(to))) continue;
    const Constant& k = types_.constant(value_of(core));
    if (k.kind == Constant::Kind::scalar && k.bits >> 31 == 1)
      diags_.emit(range(core), diag::hlsl_legacy_literal, t, static_cast<int32_t>(static_cast<uint32_t>(k.bits)));
  }
}

}  // namespace carry::check
