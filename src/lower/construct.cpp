// Constructors and initialiser lists.
#include "lower/by_columns.h"

namespace carry::lower {

ValueId FunctionLowering::construct(NodeId n) {
  NodeList children;
  tree_.children(n, children);
  // The callee of a constructor call is the type.
  const uint32_t first = tree_.is(n, NodeKind::call) ? 1 : 0;
  std::vector<NodeId> args(children.begin() + first, children.end());
  return construct_args(n, args);
}

namespace {

void flatten_list(const Tree& tree, const Facts& facts, NodeId n, std::vector<NodeId>& out) {
  if (!tree.is(n, NodeKind::init_list) || facts.node(n).value) {
    out.push_back(n);
    return;
  }
  NodeList children;
  for (NodeId c : tree.children(n, children)) flatten_list(tree, facts, c, out);
}

}  // namespace

ValueId FunctionLowering::construct_args(NodeId n, std::span<const NodeId> args) {
  const NodeFact& f = fact(n);
  const TypeId type = f.type;
  const auto kind = static_cast<ConstructKind>(f.extra);
  if (types_.is_handle(type)) return unsupported(n, "a combined sampler that is not used in place", type);
  if (kind == ConstructKind::zero) return b_.zero(ir(type));
  if (kind == ConstructKind::flatten) {
    std::vector<NodeId> list;
    for (NodeId a : args) flatten_list(tree_, facts_, a, list);
    std::vector<Leaf> all;
    for (NodeId a : list) leaves(value(a), facts_.result_type(a), all);
    at(n);
    size_t next = 0;
    return from_leaves(type, all, next);
  }
  std::vector<ValueId> values;
  values.reserve(args.size());
  for (NodeId a : args) values.push_back(value(a));
  at(n);
  switch (kind) {
    case ConstructKind::splat:
      if (is_matrix(type)) {
        const ValueId column = splat(values[0], types_[type].rows);
        return by_columns(type, types_[type].columns, [&](uint32_t) { return column; });
      }
      return splat(values[0], types_.component_count(type));
    case ConstructKind::aggregate: return build(ir(type), values);
    case ConstructKind::address:
      return b_.type_of(values[0]) == ir(type) ? values[0] : b_.convert(Op::bitcast, ir(type), values[0]);
    case ConstructKind::diagonal: {
      const uint32_t rows = types_[type].rows;
      const ValueId zero = b_.zero(b_.type_of(values[0]));
      return by_columns(type, types_[type].columns, [&](uint32_t c) {
        std::vector<ValueId> parts(rows, zero);
        if (c < rows) parts[c] = values[0];
        return build(ir(types_.part(type, 0)), parts);
      });
    }
    case ConstructKind::resize: {
      const TypeId from = facts_.result_type(args[0]);
      const uint32_t rows = types_[type].rows;
      const TypeId scalar = types_.scalar(types_.scalar_of(type));
      return by_columns(type, types_[type].columns, [&](uint32_t c) {
        std::vector<ValueId> parts;
        for (uint32_t r = 0; r < rows; ++r) {
          const bool inside = c < types_[from].columns && r < types_[from].rows;
          const ValueId old = inside ? part(part(values[0], from, c), types_.part(from, 0), r) : ValueId();
          parts.push_back(inside ? old : number(scalar, c == r ? 1 : 0));
        }
        return build(ir(types_.part(type, 0)), parts);
      });
    }
    default: break;
  }
  uint32_t total = 0;
  bool simple = types_.is_vector(type);
  for (NodeId a : args) {
    const TypeId t = facts_.result_type(a);
    total += scalar_count(t);
    simple = simple && (types_.is_scalar(t) || types_.is_vector(t));
  }
  if (simple && total == types_.component_count(type)) return build(type, values);
  std::vector<Leaf> all;
  for (size_t i = 0; i < args.size(); ++i) leaves(values[i], facts_.result_type(args[i]), all);
  size_t next = 0;
  return from_leaves(type, all, next);
}

}  // namespace carry::lower
