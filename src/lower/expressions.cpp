// Expressions: a value each, evaluated left to right, in the order of the regions.
#include "lower/by_columns.h"

namespace carry::lower {

namespace {

BinaryOp operation_of(UnaryOp op) { return op == UnaryOp::pre_inc || op == UnaryOp::post_inc ? BinaryOp::add : BinaryOp::sub; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
bool is_logical(BinaryOp op) {
  return op == BinaryOp::logical_and || op == BinaryOp::logical_or || op == BinaryOp::logical_xor;
}

}  // namespace

ValueId FunctionLowering::value(NodeId n) {
  const NodeFact& f = fact(n);
  if (f.value) return b_.constant(m_.map_const(f.value));
  ValueId v = raw_value(n);
  if (f.converted) {
    at(n);
    v = convert(v, f.type, f.converted, n);
  }
  return v;
}

ValueId FunctionLowering::raw_value(NodeId n) {
  const NodeFact& f = fact(n);
  if (f.ref == Ref::call) return call(n);
  if (f.ref == Ref::construct) return construct(n);
  if (f.ref == Ref::length) {
    const NodeId object = tree_.child(tree_.child(n, 0), 0);
    const Type& type = types_[facts_.result_type(object)];
    if (type.count_override != Id<TypeId>::kNone) {
      return adapt(m_.module_value(facts_.array_sizes[type.count_override]), ir(f.type));
    }
    const Place array = access(object);
    at(n);
    return adapt(b_.emit(Op::array_length, TypeId::u32, {pointer(array)}), ir(f.type));
  }
  if (f.ref == Ref::conversion) {
    const NodeId last = tree_.last_child(n);
    return value(last);
  }
  switch (tree_.kind(n)) {
    case NodeKind::name:
    case NodeKind::scope:
    case NodeKind::this_expr:
    case NodeKind::member:
    case NodeKind::index: {
      const Place p = access(n);
      at(n);
      return load(p, n);
    }
    case NodeKind::paren: {
      NodeId inner = n;
      while (tree_.kind(inner) == NodeKind::paren && !fact(inner).value) inner = tree_.child(inner, 0);
      return value(inner);
    }
    case NodeKind::unary: return unary(n);
    case NodeKind::binary: return binary(n);
    case NodeKind::conditional: return conditional(n);
    case NodeKind::assign: return assign(n);
    default: return unsupported(n, "this expression", f.type);
  }
}

/// For statements: a value is not wanted, so a comma, an assignment or ++ reads nothing back.
void FunctionLowering::effects(NodeId n) {
  while (tree_.kind(n) == NodeKind::paren) n = tree_.child(n, 0);
  const NodeFact& f = fact(n);
  if (f.value && (f.flags & kFactEffects) == 0) return;
  value(n);
}

ValueId FunctionLowering::unary(NodeId n) {
  const UnaryOp op = tree_.unary_op(n);
  if (op >= UnaryOp::pre_inc) return increment(n);
  const NodeId child = tree_.child(n, 0);
  const TypeId type = facts_.result_type(child);
  const ValueId v = value(child);
  at(n);
  switch (op) {
    case UnaryOp::plus: return v;
    case UnaryOp::neg: return negate(v, type, n);
    default:
      if (!is_matrix(type)) return b_.unary(Op::not_, v);
      return by_columns(type, types_[type].columns, [&](uint32_t i) { return b_.unary(Op::not_, part(v, type, i)); });
  }
}

ValueId FunctionLowering::increment(NodeId n) {
  const UnaryOp op = tree_.unary_op(n);
  const NodeFact& f = fact(n);
  const NodeId child = tree_.child(n, 0);
  const Place p = access(child);
  at(n);
  const TypeId place_type = p.type;
  const TypeId operation = f.ref == Ref::operation ? TypeId(f.index) : place_type;
  const ValueId old = load(p, n);
  const ValueId wide = convert(old, place_type, operation, n);
  const TypeId scalar = types_.scalar(types_.scalar_of(operation));
  const ValueId sum = arithmetic(operation_of(op), wide, operation, number(scalar, 1), scalar, n);
  const ValueId narrow = convert(sum, operation, place_type, n);
  store(p, narrow, n);
  return op == UnaryOp::post_inc || op == UnaryOp::post_dec ? old : narrow;
}

/// `a + b + c ...` is a chain down the left side, as long as the source.
ValueId FunctionLowering::binary(NodeId n) {
  std::vector<NodeId> chain{n};
  NodeId left = tree_.child(n, 0);
  while (tree_.kind(left) == NodeKind::binary && !fact(left).value && fact(left).ref != Ref::call) {
    chain.push_back(left);
    left = tree_.child(left, 0);
  }
  ValueId v;
  if (tree_.binary_op(chain.back()) == BinaryOp::comma)
    effects(left);
  else
    v = value(left);
  for (size_t i = chain.size(); i-- > 0;) {
    v = binary_step(chain[i], v);
    if (i == 0) break;
    const NodeFact& f = fact(chain[i]);
    if (f.converted && v) v = convert(v, f.type, f.converted, chain[i]);
  }
  return v;
}

ValueId FunctionLowering::binary_step(NodeId n, ValueId a) {
  const BinaryOp op = tree_.binary_op(n);
  const NodeId left = tree_.child(n, 0), right = tree_.child(n, 1);
  if (op == BinaryOp::comma) {
    if (facts_.result_type(right) != TypeId::void_) return value(right);
    effects(right);
    return {};
  }
  const TypeId ta = facts_.result_type(left), tb = facts_.result_type(right);
  if ((op == BinaryOp::logical_and || op == BinaryOp::logical_or) && types_.is_scalar(ta) && types_.is_scalar(tb) &&
      (fact(right).flags & (kFactEffects | kFactCostly)) != 0) {
    return short_circuit(n, a);
  }
  const ValueId b = value(right);
  at(n);
  if (is_comparison(op)) return compare(op, a, ta, b, tb, fact(n).type, n);
  if (is_logical(op)) return arithmetic(op, a, ta, b, tb, n);
  return arithmetic(op, a, ta, b, tb, n);
}

ValueId FunctionLowering::short_circuit(NodeId n, ValueId a) {
  const bool is_and = tree_.binary_op(n) == BinaryOp::logical_and;
  at(n);
  ir::RegionId regions[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const bool evaluates = (i == 0) == is_and;
    regions[i] = b_.open_region();
    const ValueId v = evaluates ? value(tree_.child(n, 1)) : b_.const_bool(!is_and);
    b_.yield({v});
    b_.close_region();
  }
  at(n);
  const TypeId type = TypeId::bool_;
  const ir::InstId inst = b_.emit_full(Op::if_, std::span<const TypeId>(&type, 1), std::span<const ValueId>(&a, 1), regions);
  return b_.module().result(b_.module().insts[inst]);
}

ValueId FunctionLowering::conditional(NodeId n) {
  const auto [condition, then, other] = tree_.first_children<3>(n);
  const NodeFact& f = fact(n);
  const TypeId tc = facts_.result_type(condition);
  const ValueId c = value(condition);
  const uint8_t costly = (fact(then).flags | fact(other).flags) & (kFactEffects | kFactCostly);
  const bool is_void = f.type == TypeId::void_;
  const bool plain = types_.is_scalar(f.type) || types_.is_vector(f.type);
  if (types_.is_scalar(tc) && (costly != 0 || !plain)) {
    at(n);
    ir::RegionId regions[2];
    const NodeId nodes[] = {then, other};
    for (uint32_t i = 0; i < 2; ++i) {
      regions[i] = b_.open_region();
      if (is_void) {
        effects(nodes[i]);
        b_.yield();
      } else {
        b_.yield({value(nodes[i])});
      }
      b_.close_region();
    }
    at(n);
    const TypeId type = is_void ? TypeId::void_ : ir(f.type);
    const ir::InstId inst =
        b_.emit_full(Op::if_, std::span<const TypeId>(&type, is_void ? 0 : 1), std::span<const ValueId>(&c, 1), regions);
    return is_void ? ValueId() : b_.module().result(b_.module().insts[inst]);
  }
  const ValueId a = value(then), b = value(other);
  at(n);
  if (types_.is_scalar(tc)) return b_.select(c, a, b);
  if (!is_matrix(f.type)) return b_.select(c, a, b);
  return by_columns(f.type, types_[f.type].columns, [&](uint32_t i) {
    const ValueId condition = part(c, tc, i), left = part(a, f.type, i), right = part(b, f.type, i);
    return b_.select(condition, left, right);
  });
}

ValueId FunctionLowering::assign(NodeId n) {
  const auto [left, right] = tree_.first_children<2>(n);
  const BinaryOp op = tree_.binary_op(n);
  const NodeFact& f = fact(n);
  const Place p = access(left);
  if (op == BinaryOp::none) {
    const ValueId v = value(right);
    at(n);
    store(p, v, n);
    return v;
  }
  // GLSL and HLSL: the right side is evaluated before the old value is read, so `a += f(a)` sees what f did.
  const ValueId b = value(right);
  at(n);
  const TypeId place_type = p.type;
  const TypeId operation = f.ref == Ref::operation ? TypeId(f.index) : place_type;
  const ValueId wide = convert(load(p, n), place_type, operation, n);
  const TypeId tb = facts_.result_type(right);
  const ValueId result = arithmetic(op, wide, operation, b, tb, n);
  TypeId result_type = operation;
  if (types_.is_vector(operation) && is_matrix(tb))
    result_type = types_.vector(types_.scalar_of(operation), types_[tb].columns);
  const ValueId narrow = convert(result, result_type, place_type, n);
  store(p, narrow, n);
  return narrow;
}

}  // namespace carry::lower
