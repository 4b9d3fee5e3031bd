// Tree: the syntax of one translation unit, exactly as written. Nodes lie in one array in post-order: a node's subtree is the
// `size` entries that end with it, its last child is the entry before it. nodes.def lists the kinds and their children.
//
// Invariants: the last node is the translation_unit. Child positions are fixed per kind (`empty` fills what was not written).
// Nesting is at most kMaxNesting, except for left-deep chains (binary, index, member, call, postfix unary as child 0), which may
// be as long as the source, and else-if chains (at most kMaxElseIfChain) and `?:` chains (child 2, kMaxConditionalChain): walk those with a loop or in post-order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/id.h"
#include "base/names.h"
#include "lex/token.h"
#include "source/source_map.h"

namespace carry {

namespace syntax {
class TreeBuilder;
}

struct NodeId : Id<NodeId> {
  using Id::Id;
};

enum class NodeKind : uint8_t {
#define NODE(kind, languages, node_class, children) kind,
#include "syntax/nodes.def"
#undef NODE
  count_
};

enum class NodeClass : uint8_t { list, expr, type, part, decl, stmt };

enum class UnaryOp : uint8_t { neg, plus, logical_not, bit_not, pre_inc, pre_dec, post_inc, post_dec };

/// `none` is plain `=` in an `assign` node.
enum class BinaryOp : uint8_t {
  none,
#define BINARY_OP(name, text, precedence) name,
#include "syntax/operators.def"
#undef BINARY_OP
  count_
};

enum class QualifierKind : uint8_t {
#define QUALIFIER(name, word, languages) name,
#include "syntax/qualifiers.def"
#undef QUALIFIER
  count_
};

enum class StructKind : uint8_t { struct_, class_, interface_, union_ };
enum class JumpKind : uint8_t { demote, terminate_invocation, ignore_intersection, terminate_ray };

enum NodeFlags : uint16_t {
  kNodeUnnamed = 1,      // `token` is not a name
  kNodeForward = 2,      // struct S;
  kNodeOperator = 4,     // function_decl: operator overload; token: the operator (`(` and `[` for () and [])
  kNodeConstMethod = 8,  // function_decl: `const` after the parameters
  kNodeEnumClass = 16,
  kNodeUnsigned = 32,       // builtin_type after `unsigned`; alone it is `unsigned` itself
  kNodeDoubleBracket = 64,  // attribute written [[...]]
  kNodeArrow = 128,
  kNodeScoped = 512,    // declarator of a static member outside of its struct: the struct is child 3
  kNodeHasError = 256,  // a syntax error lies inside (set on the nodes above it too)
};

inline constexpr uint32_t kMaxNesting = 256;
inline constexpr uint32_t kMaxElseIfChain = 4000;
inline constexpr uint32_t kMaxConditionalChain = 4000;

struct Node {
  NodeKind kind;
  uint8_t op;          // by kind: UnaryOp, BinaryOp, QualifierKind, StructKind, JumpKind ...
  uint16_t flags;      // NodeFlags
  uint32_t token;      // index of the characteristic token, see nodes.def
  uint32_t size;       // nodes of the subtree, itself included
  uint32_t end_token;  // index of the last token of the subtree
};
static_assert(sizeof(Node) == 16);

/// Children in source order; up to 8 without a heap allocation.
class NodeList {
 public:
  NodeList() = default;
  NodeList(const NodeList&) = delete;
  NodeList& operator=(const NodeList&) = delete;

  [[nodiscard]] uint32_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] NodeId operator[](uint32_t i) const {
    CARRY_CHECK(i < count_);
    return data()[i];
  }
  [[nodiscard]] const NodeId* begin() const { return data(); }
  [[nodiscard]] const NodeId* end() const { return data() + count_; }
  [[nodiscard]] NodeId back() const { return (*this)[count_ - 1]; }

 private:
  friend class Tree;
  static constexpr uint32_t kInline = 8;
  void reset(uint32_t count) {
    count_ = count;
    if (count > kInline) heap_.resize(count);
  }
  [[nodiscard]] NodeId* data() { return count_ > kInline ? heap_.data() : inline_; }
  [[nodiscard]] const NodeId* data() const { return count_ > kInline ? heap_.data() : inline_; }
  uint32_t count_ = 0;
  NodeId inline_[kInline];
  std::vector<NodeId> heap_;
};

class Tree {
 public:
  /// All three must live as long as the tree.
  Tree(const TokenBuffer& tokens, const Names& names, const SourceMap& sources)
      : tokens_(&tokens), names_(&names), sources_(&sources) {}

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  [[nodiscard]] NodeId root() const { return NodeId(size() - 1); }
  [[nodiscard]] const Node& operator[](NodeId id) const {
    CARRY_CHECK(id.value < nodes_.size());
    return nodes_[id.value];
  }
  [[nodiscard]] NodeKind kind(NodeId id) const { return (*this)[id].kind; }
  [[nodiscard]] bool is(NodeId id, NodeKind kind) const { return (*this)[id].kind == kind; }
  [[nodiscard]] bool is_empty(NodeId id) const { return is(id, NodeKind::empty); }
  [[nodiscard]] bool has_flag(NodeId id, NodeFlags flag) const { return ((*this)[id].flags & flag) != 0; }
  [[nodiscard]] UnaryOp unary_op(NodeId id) const { return static_cast<UnaryOp>((*this)[id].op); }
  [[nodiscard]] BinaryOp binary_op(NodeId id) const { return static_cast<BinaryOp>((*this)[id].op); }
  [[nodiscard]] QualifierKind qualifier(NodeId id) const { return static_cast<QualifierKind>((*this)[id].op); }

  // Children. The last is found at once, the others by walking back over subtrees.
  [[nodiscard]] NodeId last_child(NodeId id) const { return (*this)[id].size > 1 ? NodeId(id.value - 1) : NodeId(); }
  /// The sibling before `child` below `parent`, none for the first.
  [[nodiscard]] NodeId previous_child(NodeId parent, NodeId child) const {
    const uint32_t before = child.value - (*this)[child].size;
    return before + (*this)[parent].size > parent.value ? NodeId(before) : NodeId();
  }
  [[nodiscard]] uint32_t child_count(NodeId id) const;
  /// Fills `out` with the children in source order; returns it, so that a loop may say `for (NodeId c : tree.children(n, list))`.
  const NodeList& children(NodeId id, NodeList& out) const;
  /// The i-th child. For kinds with few children; use `children` to walk lists.
  [[nodiscard]] NodeId child(NodeId id, uint32_t i) const;
  /// Exactly N leading children of a kind that has at least N: `auto [cond, then, other] = tree.first_children<3>(n)`.
  template <uint32_t N>
  [[nodiscard]] std::array<NodeId, N> first_children(NodeId id) const {
    std::array<NodeId, N> out;
    const uint32_t count = child_count(id);
    CARRY_CHECK(count >= N);
    uint32_t i = count;
    for (NodeId c = last_child(id); c; c = previous_child(id, c)) {
      if (--i < N) out[i] = c;
    }
    return out;
  }
  /// The first entry of the subtree's run in post-order: [first_in_subtree(n), n] is the subtree.
  [[nodiscard]] NodeId first_in_subtree(NodeId id) const { return NodeId(id.value + 1 - (*this)[id].size); }

  // Text and places.
  [[nodiscard]] const TokenBuffer& tokens() const { return *tokens_; }
  [[nodiscard]] const Names& names() const { return *names_; }
  [[nodiscard]] const SourceMap& sources() const { return *sources_; }
  /// Spelling of the characteristic token: for literals.
  [[nodiscard]] std::string_view token_text(NodeId id) const { return sources_->token_text(loc(id)); }
  [[nodiscard]] std::string_view name_text(NodeId id) const { return names_->text(name(id)); }
  [[nodiscard]] const Token& token(NodeId id) const { return tokens_->tokens[(*this)[id].token]; }
  /// The identifier (or keyword) that `token` names; none for kNodeUnnamed and punctuation.
  [[nodiscard]] NameId name(NodeId id) const {
    if ((*this)[id].flags & kNodeUnnamed) return NameId();
    const uint32_t n = token(id).name;
    return n == 0 ? NameId() : NameId(n);
  }
  /// Place of the characteristic token: for diagnostics of operators and names, and for instructions.
  [[nodiscard]] Loc loc(NodeId id) const { return token(id).loc; }
  [[nodiscard]] uint32_t first_token(NodeId id) const;
  [[nodiscard]] uint32_t last_token(NodeId id) const { return (*this)[id].end_token; }
  /// From the first to the last token of the subtree: for diagnostics.
  [[nodiscard]] LocRange range(NodeId id) const;

 private:
  friend class syntax::TreeBuilder;
  const TokenBuffer* tokens_;
  const Names* names_;
  const SourceMap* sources_;
  std::vector<Node> nodes_;
};

[[nodiscard]] std::string_view node_kind_name(NodeKind kind);
[[nodiscard]] NodeClass node_class(NodeKind kind);
/// Spelling: "+", "-", "++".
[[nodiscard]] std::string_view unary_op_text(UnaryOp op);
[[nodiscard]] std::string_view binary_op_text(BinaryOp op);
[[nodiscard]] std::string_view qualifier_text(QualifierKind kind);

/// One node a line, indented, children after their parent: for tests and --print-tree.
[[nodiscard]] std::string dump(const Tree& tree);

}  // namespace carry
