#include "syntax/tree.h"

#include "base/text_sink.h"

namespace carry {

namespace {

struct NodeRow {
  std::string_view name;
  NodeClass node_class;
};

constexpr NodeRow kNodeRows[] = {
#define NODE(kind, languages, node_class, children) {#kind, NodeClass::node_class},
#include "syntax/nodes.def"
#undef NODE
};

constexpr std::string_view kBinaryOpTexts[] = {
    "=",
#define BINARY_OP(name, text, precedence) text,
#include "syntax/operators.def"
#undef BINARY_OP
};

constexpr std::string_view kQualifierTexts[] = {
#define QUALIFIER(name, word, languages) word,
#include "syntax/qualifiers.def"
#undef QUALIFIER
};

constexpr std::string_view kUnaryOpTexts[] = {"-", "+", "!", "~", "++", "--", "++", "--"};

}  // namespace

std::string_view node_kind_name(NodeKind kind) { return kNodeRows[static_cast<size_t>(kind)].name; }
NodeClass node_class(NodeKind kind) { return kNodeRows[static_cast<size_t>(kind)].node_class; }
std::string_view unary_op_text(UnaryOp op) { return kUnaryOpTexts[static_cast<size_t>(op)]; }
std::string_view binary_op_text(BinaryOp op) { return kBinaryOpTexts[static_cast<size_t>(op)]; }
std::string_view qualifier_text(QualifierKind kind) { return kQualifierTexts[static_cast<size_t>(kind)]; }

uint32_t Tree::child_count(NodeId id) const {
  uint32_t count = 0;
  for (NodeId c = last_child(id); c; c = previous_child(id, c)) ++count;
  return count;
}

const NodeList& Tree::children(NodeId id, NodeList& out) const {
  uint32_t i = child_count(id);
  out.reset(i);
  NodeId* data = out.data();
  for (NodeId c = last_child(id); c; c = previous_child(id, c)) data[--i] = c;
  return out;
}

NodeId Tree::child(NodeId id, uint32_t i) const {
  const uint32_t count = child_count(id);
  CARRY_CHECK(i < count);
  if (i >= count) return NodeId();
  NodeId c = last_child(id);
  for (uint32_t steps = count - 1 - i; steps != 0; --steps) c = previous_child(id, c);
  return c;
}

uint32_t Tree::first_token(NodeId id) const {
  uint32_t first = (*this)[id].token;
  for (uint32_t i = first_in_subtree(id).value; i < id.value; ++i) {
    if (nodes_[i].kind != NodeKind::empty && nodes_[i].token < first) first = nodes_[i].token;
  }
  return first;
}

LocRange Tree::range(NodeId id) const {
  return sources_->range(tokens_->tokens[first_token(id)].loc, tokens_->tokens[last_token(id)].loc);
}

}  // namespace carry
