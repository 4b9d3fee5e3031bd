// Expressions: a value each, evaluated left to right, in the order of the regions.
#include <algorithm>

#include "lower/by_columns.h"

namespace carry::lower {

namespace {

BinaryOp operation_of(UnaryOp op) { return op == UnaryOp::pre_inc || op == UnaryOp::post_inc ? BinaryOp::add : BinaryOp::sub; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
/// Before HLSL 2021 `&&`, `||` and `?:` evaluate all their operands.
bool short_circuits(const LanguageMode& mode) { return !mode.is_hlsl() || mode.hlsl_version >= 2021; }

bool is_logical(BinaryOp op) {
  return op == BinaryOp::logical_and || op == BinaryOp::logical_or || op == BinaryOp::logical_xor;
}

}  // namespace

ValueId FunctionLowering::value(NodeId n) {
  const NodeFact& f = fact(n);
  if (f.value) return b_.constant(m_.map_const(f.value));
  if (!fits(n)) {
    const TypeId type = facts_.result_type(n);
    return type == TypeId::void_ ? ValueId() : b_.zero(ir(type));
  }
  return converted(n, raw_value(n));
}

/// The raw value of n as its parent wants it.
ValueId FunctionLowering::converted(NodeId n, ValueId v) {
  const NodeFact& f = fact(n);
  if (!f.converted) return v;
  at(n);
  return convert(v, f.type, f.converted, n);
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
  if ((op == BinaryOp::logical_and || op == BinaryOp::logical_or) && short_circuits(m_.mode) && types_.is_scalar(ta) &&
      types_.is_scalar(tb) && (fact(right).flags & (kFactEffects | kFactCostly)) != 0) {
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

// `a ? x : b ? y : ...` may be as long as the source: links that evaluate one operand only stand first, then those that
// evaluate both.
ValueId FunctionLowering::conditional(NodeId n) {
  std::vector<NodeId> links;
  NodeId last = n;
  do {
    links.push_back(last);
    last = tree_.child(last, 2);
  } while (tree_.is(last, NodeKind::conditional) && !fact(last).value);
  size_t branches = 0;
  while (branches < links.size() && evaluates_one(links[branches])) ++branches;
  if (branches == 0) return select_chain(links);
  const std::span<const NodeId> list(links);
  if (branches > kNestedLinks) return long_branch_chain(list.subspan(0, branches), fact(n).type == TypeId::void_);
  return branch_chain(list.subspan(0, branches));
}

bool FunctionLowering::evaluates_one(NodeId n) const {
  const auto [condition, then, other] = tree_.first_children<3>(n);
  const TypeId type = fact(n).type;
  const uint8_t costly = (fact(then).flags | fact(other).flags) & (kFactEffects | kFactCostly);
  const bool selects = types_.is_scalar(type) || types_.is_vector(type);
  return types_.is_scalar(facts_.result_type(condition)) && ((costly != 0 && short_circuits(m_.mode)) || !selects);
}

ValueId FunctionLowering::branch_chain(std::span<const NodeId> links) {
  const NodeId n = links[0];
  const auto [condition, then, other] = tree_.first_children<3>(n);
  const ValueId c = value(condition);
  const bool is_void = fact(n).type == TypeId::void_;
  at(n);
  ir::RegionId regions[2];
  for (uint32_t i = 0; i < 2; ++i) {
    regions[i] = b_.open_region();
    if (is_void) {
      effects(i == 0 ? then : other);
      b_.yield();
    } else if (i == 1 && links.size() > 1) {
      b_.yield({converted(other, branch_chain(links.subspan(1)))});
    } else {
      b_.yield({value(i == 0 ? then : other)});
    }
    b_.close_region();
  }
  at(n);
  const TypeId type = is_void ? TypeId::void_ : ir(fact(n).type);
  const ir::InstId inst =
      b_.emit_full(Op::if_, std::span<const TypeId>(&type, is_void ? 0 : 1), std::span<const ValueId>(&c, 1), regions);
  return is_void ? ValueId() : b_.module().result(b_.module().insts[inst]);
}

// The value goes through a variable, and after kNestedLinks the nesting starts anew where `open` says so.
ValueId FunctionLowering::long_branch_chain(std::span<const NodeId> links, bool is_void) {
  const ValueId result = is_void ? ValueId() : b_.var(ir(fact(links[0]).type));
  const ValueId open = b_.var(TypeId::bool_, b_.const_bool(true));
  const auto set = [&](NodeId n, size_t link) {
    if (is_void) return effects(n);
    ValueId v = value(n);
    for (; link > 0; --link) v = converted(links[link], v);
    b_.store(result, v);
  };
  for (size_t first = 0; first < links.size(); first += kNestedLinks) {
    const size_t end = std::min<size_t>(first + kNestedLinks, links.size());
    const ValueId go_on = b_.load(open);
    const ir::RegionId outer = b_.open_region();
    std::vector<std::pair<ValueId, ir::RegionId>> nested;
    for (size_t i = first; i < end; ++i) {
      const auto [condition, then, other] = tree_.first_children<3>(links[i]);
      const ValueId c = value(condition);
      nested.emplace_back(c, b_.open_region());
      if (i == first) b_.store(open, b_.const_bool(false));
      set(then, i);
      b_.yield();
      b_.close_region();
      b_.open_region();
    }
    if (end == links.size()) {
      set(tree_.child(links[end - 1], 2), end - 1);
    } else {
      b_.store(open, b_.const_bool(true));
    }
    for (size_t i = end; i-- > first;) {
      const ir::RegionId other = b_.current_region();
      b_.yield();
      b_.close_region();
      const ir::RegionId regions[] = {nested[i - first].second, other};
      at(links[i]);
      b_.emit_full(Op::if_, {}, std::span<const ValueId>(&nested[i - first].first, 1), regions);
    }
    b_.yield();
    b_.close_region();
    const ir::RegionId none = b_.open_region();
    b_.yield();
    b_.close_region();
    const ir::RegionId regions[] = {outer, none};
    b_.emit_full(Op::if_, {}, std::span<const ValueId>(&go_on, 1), regions);
  }
  return is_void ? ValueId() : b_.load(result);
}

// All operands are evaluated, in the order of the source.
ValueId FunctionLowering::select_chain(std::span<const NodeId> links) {
  std::vector<std::pair<ValueId, ValueId>> values;
  for (NodeId n : links) {
    const ValueId c = value(tree_.child(n, 0));
    values.emplace_back(c, value(tree_.child(n, 1)));
  }
  ValueId v = value(tree_.child(links.back(), 2));
  for (size_t i = links.size(); i-- > 0;) {
    v = select(links[i], values[i].first, values[i].second, v);
    if (i != 0) v = converted(links[i], v);
  }
  return v;
}

ValueId FunctionLowering::select(NodeId n, ValueId c, ValueId a, ValueId b) {
  const TypeId type = fact(n).type;
  const TypeId tc = facts_.result_type(tree_.child(n, 0));
  at(n);
  if (types_.is_scalar(tc) || !is_matrix(type)) return b_.select(c, a, b);
  return by_columns(type, types_[type].columns, [&](uint32_t i) {
    const ValueId condition = part(c, tc, i), left = part(a, type, i), right = part(b, type, i);
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
