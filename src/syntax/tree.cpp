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

Loc token_end(const TokenBuffer& buffer, const Names& names, uint32_t index) {
  const std::vector<Token>& tokens = buffer.tokens;
  const Token& token = tokens[index];
  const auto kind = static_cast<TokenKind>(token.kind);
  if (kind == TokenKind::eof) return {};
  if (kind == TokenKind::identifier) {
    return Loc{token.loc.offset + static_cast<uint32_t>(names.text(NameId(uint32_t{token.name})).size())};
  }
  if (kind > TokenKind::invalid) return Loc{token.loc.offset + static_cast<uint32_t>(token_kind_text(kind).size())};
  // A literal: it ends where the next token begins, when nothing lies between.
  const Token& next = tokens[index + 1];
  const bool touches = (next.flags & (kTokenLineStart | kTokenSpaceBefore)) == 0 && next.loc.offset > token.loc.offset;
  if (touches && next.loc.offset - token.loc.offset < 64) return next.loc;
  return {};
}

LocRange Tree::range(NodeId id) const {
  const Loc begin = tokens_->tokens[first_token(id)].loc;
  const uint32_t last = last_token(id);
  Loc end = token_end(*tokens_, *names_, last);
  if (end.is_none()) end = Loc{tokens_->tokens[last].loc.offset + 1};
  return end.offset > begin.offset ? LocRange{begin, end} : LocRange{begin, {}};
}

}  // namespace carry
