// Expressions of all languages: precedence climbing, so that a long chain of operators costs no stack.
#include "syntax/parser_core.h"

namespace carry::syntax {

namespace {

struct OperatorRow {
  BinaryOp op = BinaryOp::none;
  int8_t precedence = 0;
};

constexpr int kAssignPrecedence = 2;

struct OperatorTable {
  OperatorRow binary[static_cast<size_t>(TokenKind::count_)] = {};
  // BinaryOp::count_: no assignment operator.
  BinaryOp assign[static_cast<size_t>(TokenKind::count_)] = {};
};

constexpr int8_t precedence_of(BinaryOp op) {
  constexpr int8_t kRows[] = {
      0,
#define BINARY_OP(name, text, precedence) precedence,
#include "syntax/operators.def"
#undef BINARY_OP
  };
  return kRows[static_cast<size_t>(op)];
}

constexpr OperatorTable make_operators() {
  using K = TokenKind;
  using B = BinaryOp;
  OperatorTable t;
  for (B& b : t.assign) b = B::count_;
  struct Pair {
    K kind;
    B op;
  };
  constexpr Pair kBinary[] = {
      {K::comma, B::comma},
      {K::pipe_pipe, B::logical_or},
      {K::caret_caret, B::logical_xor},
      {K::amp_amp, B::logical_and},
      {K::pipe, B::bit_or},
      {K::caret, B::bit_xor},
      {K::amp, B::bit_and},
      {K::equal_equal, B::equal},
      {K::bang_equal, B::not_equal},
      {K::less, B::less},
      {K::greater, B::greater},
      {K::less_equal, B::less_equal},
      {K::greater_equal, B::greater_equal},
      {K::less_less, B::shift_left},
      {K::greater_greater, B::shift_right},
      {K::plus, B::add},
      {K::minus, B::sub},
      {K::star, B::mul},
      {K::slash, B::div},
      {K::percent, B::rem},
  };
  for (const Pair& p : kBinary) t.binary[static_cast<size_t>(p.kind)] = {p.op, precedence_of(p.op)};
  constexpr Pair kAssign[] = {
      {K::equal, B::none},
      {K::plus_equal, B::add},
      {K::minus_equal, B::sub},
      {K::star_equal, B::mul},
      {K::slash_equal, B::div},
      {K::percent_equal, B::rem},
      {K::amp_equal, B::bit_and},
      {K::pipe_equal, B::bit_or},
      {K::caret_equal, B::bit_xor},
      {K::less_less_equal, B::shift_left},
      {K::greater_greater_equal, B::shift_right},
  };
  for (const Pair& p : kAssign) t.assign[static_cast<size_t>(p.kind)] = p.op;
  return t;
}

constexpr OperatorTable kOperators = make_operators();

}  // namespace

void Parser::expression() {
  const uint32_t from = mark();
  assignment();
  while (at(TokenKind::comma)) {
    const uint32_t op = pos_;
    advance();
    assignment();
    finish(NodeKind::binary, op, from, static_cast<uint8_t>(BinaryOp::comma));
  }
}

void Parser::assignment() {
  const Nest nest(*this);
  if (!nest.ok) return error_node("an expression");
  const uint32_t from = mark();
  conditional_expression();
  assignment_tail(from);
}

void Parser::assignment_tail(uint32_t from) {
  const BinaryOp op = kOperators.assign[static_cast<size_t>(kind())];
  if (op == BinaryOp::count_) return;
  const uint32_t token = pos_;
  advance();
  if (at(TokenKind::l_brace))
    init_list();
  else
    assignment();
  finish(NodeKind::assign, token, from, static_cast<uint8_t>(op));
}

void Parser::conditional_expression() {
  uint32_t from = mark();
  binary_expression(kAssignPrecedence + 1);
  if (!at(TokenKind::question)) return;
  struct Link {
    uint32_t from;
    uint32_t token;
  };
  // The last operand is a loop: chains may be long.
  std::vector<Link> chain;
  while (at(TokenKind::question)) {
    chain.push_back({from, pos_});
    if (chain.size() > kMaxConditionalChain) {
      report(pos_, diag::conditional_chain_too_long, kMaxConditionalChain);
      give_up();
      error_node("an expression");
      empty();
      break;
    }
    advance();
    const Nest nest(*this);
    if (!nest.ok) {
      error_node("an expression");
      empty();
      break;
    }
    expression();
    expect(TokenKind::colon);
    from = mark();
    binary_expression(kAssignPrecedence + 1);
    if (!at(TokenKind::question)) assignment_tail(from);
  }
  for (; !chain.empty(); chain.pop_back()) finish(NodeKind::conditional, chain.back().token, chain.back().from);
}

int Parser::binary_precedence(BinaryOp& op) const {
  const OperatorRow row = kOperators.binary[static_cast<size_t>(kind())];
  op = row.op;
  return row.precedence;
}

void Parser::binary_expression(int min_precedence) {
  const uint32_t from = mark();
  unary_expression();
  for (;;) {
    BinaryOp op = BinaryOp::none;
    const int precedence = binary_precedence(op);
    if (precedence < min_precedence || half_) return;
    // `>` closes template arguments: template_args parses its own arguments with a higher minimum.
    const uint32_t token = pos_;
    if (op == BinaryOp::logical_xor && !grammar_.has_logical_xor) {
      report(token, diag::no_such_operator, "^^", grammar_.language, "(a) != (b)");
    }
    advance();
    binary_expression(precedence + 1);
    finish(NodeKind::binary, token, from, static_cast<uint8_t>(op));
  }
}

void Parser::unary_expression() {
  UnaryOp op = UnaryOp::neg;
  switch (kind()) {
    case TokenKind::minus: op = UnaryOp::neg; break;
    case TokenKind::plus: op = UnaryOp::plus; break;
    case TokenKind::bang: op = UnaryOp::logical_not; break;
    case TokenKind::tilde: op = UnaryOp::bit_not; break;
    case TokenKind::plus_plus: op = UnaryOp::pre_inc; break;
    case TokenKind::minus_minus: op = UnaryOp::pre_dec; break;
    default: return postfix_expression();
  }
  const Nest nest(*this);
  if (!nest.ok) return error_node("an expression");
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  unary_expression();
  finish(NodeKind::unary, token, from, static_cast<uint8_t>(op));
}

void Parser::postfix_expression() {
  const uint32_t from = mark();
  if (at(TokenKind::l_paren) && grammar_.has_casts && at_cast()) {
    const Nest nest(*this);
    if (!nest.ok) return error_node("an expression");
    const uint32_t token = pos_;
    advance();
    type_with_qualifiers();
    expect(TokenKind::r_paren, token);
    if (at(TokenKind::l_brace))
      init_list();
    else
      unary_expression();
    finish(NodeKind::cast, token, from);
    return;
  }
  primary_expression();
  postfix_tail(from);
}

void Parser::postfix_tail(uint32_t from) {
  for (;;) {
    const uint32_t token = pos_;
    switch (kind()) {
      case TokenKind::l_paren: call_arguments(from); break;
      case TokenKind::l_bracket:
        advance();
        expression();
        expect(TokenKind::r_bracket, token);
        finish(NodeKind::index, token, from);
        break;
      case TokenKind::dot:
      case TokenKind::arrow: member_tail(from); break;
      case TokenKind::plus_plus:
      case TokenKind::minus_minus:
        advance();
        finish(NodeKind::unary, token, from,
               static_cast<uint8_t>(static_cast<TokenKind>(tokens_[token].kind) == TokenKind::plus_plus ? UnaryOp::post_inc
                                                                                                        : UnaryOp::post_dec));
        break;
      default: return;
    }
  }
}

void Parser::member_tail(uint32_t from) {
  const bool arrow = at(TokenKind::arrow);
  if (arrow && !grammar_.has_arrow) report(pos_, diag::no_such_operator, "->", grammar_.language, ".");
  advance();
  if (at_name()) {
    const uint32_t name = pos_;
    advance();
    if (at(TokenKind::colon_colon) && at_name()) advance();
    finish(NodeKind::member, name, from, 0, flag_if(arrow, kNodeArrow));
    if (grammar_.has_templates && at(TokenKind::less) && at_template_call(pos_)) {
      const uint32_t less = pos_;
      template_args();
      finish(NodeKind::template_ref, less, from);
    }
    return;
  }
  if (at_word(Word::operator_)) advance();
  error_expected("the name of a member");
  leaf(NodeKind::error, pos_);
  finish(NodeKind::error, pos_, from);
}

void Parser::call_arguments(uint32_t from) {
  const uint32_t token = pos_;
  advance();
  // f(void) is a call without arguments.
  if (at_text("void") && ahead(1) == TokenKind::r_paren) advance();
  if (!at(TokenKind::r_paren)) {
    do {
      if (at(TokenKind::l_brace))
        init_list();
      else
        assignment();
    } while (accept(TokenKind::comma));
  }
  close_paren(token);
  finish(NodeKind::call, token, from);
}

void Parser::primary_expression() {
  const uint32_t token = pos_;
  switch (kind()) {
    case TokenKind::identifier: return name_expression();
    case TokenKind::int_literal: advance(); return leaf(NodeKind::int_literal, token);
    case TokenKind::float_literal: advance(); return leaf(NodeKind::float_literal, token);
    case TokenKind::char_literal: advance(); return leaf(NodeKind::char_literal, token);
    case TokenKind::string_literal: {
      const uint32_t from = mark();
      while (accept(TokenKind::string_literal)) {
      }
      return finish(NodeKind::string_literal, token, from);
    }
    case TokenKind::l_paren: {
      const uint32_t from = mark();
      advance();
      expression();
      close_paren(token);
      return finish(NodeKind::paren, token, from);
    }
    case TokenKind::colon_colon:
      if (grammar_.has_templates) return type_name();
      break;
    default: break;
  }
  error_node("an expression");
}

void Parser::name_expression() {
  const uint32_t token = pos_;
  const WordInfo w = word();
  // A declared name hides a word that is not hard.
  if (state(name_at(pos_)) == NameState::unknown || (w.word == Word::type && (w.op & kWordHard) != 0)) {
    switch (w.word) {
      case Word::true_:
      case Word::false_: advance(); return leaf(NodeKind::bool_literal, token, w.word == Word::true_ ? 1 : 0);
      case Word::this_: advance(); return leaf(NodeKind::this_expr, token);
      case Word::sizeof_: {
        const uint32_t from = mark();
        advance();
        expect(TokenKind::l_paren);
        const uint32_t after = scan_type(pos_);
        if (after != kNoToken && kind_at(after) == TokenKind::r_paren)
          type_with_qualifiers();
        else
          expression();
        expect(TokenKind::r_paren, token + 1);
        return finish(NodeKind::sizeof_expr, token, from);
      }
      case Word::type:
      case Word::unsigned_: return type();
      case Word::identifier:
      case Word::soft_qualifier: break;
      case Word::qualifier:
        // nonuniformEXT(x) is written like a call; other qualifiers do not stand in expressions.
        if (static_cast<QualifierKind>(w.op) == QualifierKind::nonuniform) {
          advance();
          return leaf(NodeKind::name, token);
        }
        return error_node("an expression");
      case Word::reserved:
        report_reserved();
        advance();
        return leaf(NodeKind::error, token);
      default: return error_node("an expression");
    }
  }
  if (is_type_name(pos_)) return type();
  if (!grammar_.has_templates) {
    advance();
    return leaf(NodeKind::name, token);
  }
  const uint32_t from = mark();
  type_name();
  const bool scoped = last_node().kind == NodeKind::scope;
  const NameState s = scoped ? NameState::unknown : state(name_at(token));
  if (at(TokenKind::less) && s != NameState::value && at_template_call(pos_)) {
    const uint32_t less = pos_;
    template_args();
    finish(NodeKind::template_ref, less, from);
  }
}

bool Parser::at_cast() const {
  const uint32_t after = scan_type(pos_ + 1);
  if (after == kNoToken || kind_at(after) != TokenKind::r_paren) return false;
  // (name) with a name that nothing is known of: a cast when an operand follows that could not follow a value.
  if (after == pos_ + 2 && !is_type_name(pos_ + 1)) {
    if (word_at(pos_ + 1).word == Word::unsigned_) return true;
    if (state(name_at(pos_ + 1)) != NameState::unknown) return false;
    const TokenKind next = kind_at(after + 1);
    return next == TokenKind::identifier || next == TokenKind::int_literal || next == TokenKind::float_literal;
  }
  return true;
}

bool Parser::at_template_call(uint32_t less) const {
  const TokenKind first = kind_at(less + 1);
  const bool literal = first == TokenKind::int_literal;
  if (!literal && !is_type_name(less + 1) && scan_type(less + 1) == kNoToken && first != TokenKind::greater) return false;
  const uint32_t after = scan_template_args(less);
  if (after == kNoToken) return false;
  return kind_at(after) == TokenKind::l_paren || kind_at(after) == TokenKind::colon_colon;
}

void Parser::initializer() {
  if (at(TokenKind::l_brace))
    init_list();
  else
    assignment();
}

void Parser::init_list() {
  const Nest nest(*this);
  if (!nest.ok) return error_node("an initializer");
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  while (!at(TokenKind::r_brace) && !at_end()) {
    initializer();
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::r_brace, token);
  finish(NodeKind::init_list, token, from);
}

}  // namespace carry::syntax
