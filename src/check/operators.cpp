// Unary and binary operators, assignment: what both languages share.
#include "check/checker.h"

namespace carry::check {

void Checker::check_unary(NodeId n) {
  const NodeId c = tree_.child(n, 0);
  const UnaryOp op = tree_.unary_op(n);
  if (op >= UnaryOp::pre_inc) {
    if (!is_value(c)) return void(fail(n));
    return check_step(n, op, c);
  }
  // The operand was checked on the way here; -2147483648 needs to know the minus before its literal is read.
  if (!is_value(c)) return void(fail(n));
  inherit(n, c);
  TypeId t = facts_.result_type(c);
  auto refuse = [&] {
    diags_.emit(range(n), diag::operand_type, unary_op_text(op), type_text(t));
    fail(n);
  };
  if (!types_.is_numeric(t)) return refuse();
  ScalarKind s = types_.scalar_of(t);
  if (op == UnaryOp::logical_not) {
    if (glsl() && t != TypeId::bool_) return refuse();
    if (s != ScalarKind::bool_) {
      t = types_.with_scalar(t, ScalarKind::bool_);
      convert(c, t);
    }
  } else {
    if (s == ScalarKind::bool_) {
      if (glsl()) return refuse();
      s = ScalarKind::i32;
      t = types_.with_scalar(t, s);
      convert(c, t);
    }
    if (op == UnaryOp::bit_not && !is_int(s)) return refuse();
  }
  set_type(n, t);
  set_ref(n, Ref::operation, t.value);
  if (value_of(c)) {
    set_value(n, fold_.unary(op, value_of(c)));
  } else if (facts_.has(c, kFactSpec) && !is_float(s)) {
    fact(n).flags |= kFactSpec;  // of floats SPIR-V has no such operations
  }
  if (hlsl() && !value_of(n)) {
    const TypeId settled_type = settle(c);
    set_type(n, settled_type);
    fact(n).index = settled_type.value;
  }
}

void Checker::check_step(NodeId n, UnaryOp op, NodeId c) {
  const TypeId t = facts_.result_type(c);
  const ScalarKind s = types_.is_numeric(t) ? types_.scalar_of(t) : ScalarKind::none;
  if (s == ScalarKind::none || (s == ScalarKind::bool_ && glsl())) {
    diags_.emit(range(n), diag::operand_type, unary_op_text(op), type_text(t));
    return void(fail(n));
  }
  if (!require_lvalue(c, "`" + std::string(unary_op_text(op)) + "`")) return void(fail(n));
  set_type(n, t);
  const TypeId operation = s == ScalarKind::bool_ ? types_.with_scalar(t, ScalarKind::i32) : t;
  set_ref(n, Ref::operation, operation.value);
  fact(n).flags |= kFactEffects | kFactCostly;
  // HLSL: ++x denotes x.
  if (hlsl() && (op == UnaryOp::pre_inc || op == UnaryOp::pre_dec)) fact(n).flags |= kFactPlace | kFactLvalue;
}

void Checker::check_binary(NodeId n) {
  const auto [a, b] = tree_.first_children<2>(n);
  const BinaryOp op = tree_.binary_op(n);
  check_expr(b);
  if (op == BinaryOp::comma) {
    if (is_error(a) || is_error(b)) return void(fail(n));
    inherit(n, a);
    inherit(n, b);
    settle(a);
    settle(b);
    set_type(n, facts_.result_type(b));
    set_ref(n, Ref::operation, facts_.result_type(b).value);
    return;
  }
  const bool ok = is_value(a);
  if (!is_value(b) || !ok) return void(fail(n));
  inherit(n, a);
  inherit(n, b);
  if (hlsl() && hlsl_operator_call(n, binary_op_text(op), a, {b})) return;
  TypeId operation = TypeId::error;
  const TypeId t = arithmetic(n, op, a, b, false, operation);
  if (t == TypeId::error) return void(fail(n));
  set_type(n, t);
  set_ref(n, Ref::operation, operation.value);
  fold_binary(n, op, a, b);
  if (hlsl() && !value_of(n)) {
    settle(a);
    settle(b);
    const TypeId s = settled(t, ConstId());
    if (s != t) {
      set_type(n, s);
      fact(n).index = settled(operation, ConstId()).value;
    }
  }
}

void Checker::fold_binary(NodeId n, BinaryOp op, NodeId a, NodeId b) {
  const ConstId x = value_of(a);
  const ConstId y = value_of(b);
  if (x && y) {
    set_value(n, fold_.binary(op, x, y, type_of(n)));
    return;
  }
  // `false && x`: a constant only if both sides are (GLSL 4.3.3). Of floats SPIR-V has no such operations.
  const TypeId t = facts_.result_type(a);
  if (!types_.is_numeric(t) || !is_float(types_.scalar_of(t))) spec_result(n, {a, b});
}

TypeId Checker::arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation) {
  return glsl() ? glsl_arithmetic(n, op, a, b, compound, operation) : hlsl_arithmetic(n, op, a, b, compound, operation);
}

void Checker::check_assign(NodeId n) {
  const auto [a, b] = tree_.first_children<2>(n);
  const BinaryOp op = tree_.binary_op(n);
  check_expr(a);
  const bool a_ok = is_value(a);
  const TypeId target = a_ok ? type_of(a) : TypeId::error;
  if (tree_.is(b, NodeKind::init_list)) {
    check_init_list(b, target);
  } else {
    check_expr(b);
  }
  const bool b_ok = is_value(b);
  if (!a_ok || !b_ok) return void(fail(n));
  const std::string name = op == BinaryOp::none ? std::string("`=`") : "`" + std::string(binary_op_text(op)) + "=`";
  const bool writable = require_lvalue(a, name);
  fact(n).flags |= kFactEffects | kFactCostly;
  set_type(n, target);
  if (op == BinaryOp::none) {
    if (glsl() && (has_unsized(target) || contains_opaque(target))) {
      diags_.emit(range(n), diag::bad_type_use, type_text(target), "cannot be assigned");
      return void(fail(n));
    }
    if (!coerce(b, target, "an assignment")) return void(fail(n));
    set_ref(n, Ref::operation, target.value);
  } else {
    TypeId operation = TypeId::error;
    const TypeId r = arithmetic(n, op, a, b, true, operation);
    if (r == TypeId::error) return void(fail(n));
    if (r != target && !converts_implicitly(r, target)) {
      diags_.emit(range(n), diag::no_implicit_conversion, type_text(r), type_text(target), "an assignment");
      return void(fail(n));
    }
    set_ref(n, Ref::operation, operation.value);
  }
  if (!writable) fail(n);
}

}  // namespace carry::check
