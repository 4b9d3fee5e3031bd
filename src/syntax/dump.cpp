#include "base/text_sink.h"
#include "syntax/tree.h"

namespace carry {

namespace {

struct FlagText {
  NodeFlags flag;
  std::string_view text;
};

constexpr FlagText kFlagTexts[] = {
    {kNodeUnnamed, "unnamed"}, {kNodeForward, "forward"},   {kNodeOperator, "operator"},    {kNodeConstMethod, "const"},
    {kNodeEnumClass, "class"}, {kNodeUnsigned, "unsigned"}, {kNodeDoubleBracket, "double"}, {kNodeArrow, "arrow"},
};

bool names_something(NodeKind kind) {
  switch (kind) {
    case NodeKind::name:
    case NodeKind::builtin_type:
    case NodeKind::member:
    case NodeKind::layout_id:
    case NodeKind::attribute:
    case NodeKind::semantic:
    case NodeKind::declarator:
    case NodeKind::function_decl:
    case NodeKind::param:
    case NodeKind::struct_decl:
    case NodeKind::enum_decl:
    case NodeKind::enumerator:
    case NodeKind::using_alias:
    case NodeKind::namespace_decl:
    case NodeKind::buffer_block:
    case NodeKind::interface_block:
    case NodeKind::template_param: return true;
    default: return false;
  }
}

void dump_node(const Tree& tree, NodeId id, int level, TextSink& out) {
  const Node& node = tree[id];
  out.indent(level < 100 ? level : 100) << node_kind_name(node.kind);
  if (names_something(node.kind) && !tree.name_text(id).empty()) out << ' ' << tree.name_text(id);
  switch (node.kind) {
    case NodeKind::unary:
      out << ' ' << unary_op_text(tree.unary_op(id));
      if (tree.unary_op(id) >= UnaryOp::post_inc) out << " post";
      break;
    case NodeKind::binary: out << ' ' << binary_op_text(tree.binary_op(id)); break;
    case NodeKind::assign:
      out << ' ' << (tree.binary_op(id) == BinaryOp::none ? "" : binary_op_text(tree.binary_op(id))) << '=';
      break;
    case NodeKind::qualifier:
    case NodeKind::precision_decl: out << ' ' << qualifier_text(tree.qualifier(id)); break;
    case NodeKind::bool_literal: out << (node.op != 0 ? " true" : " false"); break;
    case NodeKind::jump_stmt: out << ' ' << tree.name_text(id); break;
    case NodeKind::function_decl:
      if ((node.flags & kNodeOperator) != 0) out << ' ' << token_kind_text(static_cast<TokenKind>(tree.token(id).kind));
      break;
    default: break;
  }
  for (const FlagText& f : kFlagTexts) {
    if ((node.flags & f.flag) != 0) out << " [" << f.text << ']';
  }
  out << '\n';
}

}  // namespace

std::string dump(const Tree& tree) {
  TextSink out;
  struct Item {
    NodeId node;
    int level;
  };
  // An own stack: left-deep chains may be as long as the source.
  std::vector<Item> stack{{tree.root(), 0}};
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    dump_node(tree, item.node, item.level, out);
    // Last child first: the first one ends on top.
    for (NodeId c = tree.last_child(item.node); c; c = tree.previous_child(item.node, c)) {
      stack.push_back({c, item.level + 1});
    }
  }
  return out.take();
}

}  // namespace carry
