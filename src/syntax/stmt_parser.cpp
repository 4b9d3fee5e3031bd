// Statements of all languages.
#include "syntax/parser_core.h"

namespace carry::syntax {

void Parser::statement() {
  const Nest nest(*this);
  if (!nest.ok) return error_node("a statement");
  const uint32_t token = pos_;
  switch (kind()) {
    case TokenKind::l_brace: return block();
    case TokenKind::semicolon: advance(); return leaf(NodeKind::empty_stmt, token);
    case TokenKind::l_bracket: return attributed_statement();
    case TokenKind::identifier: return word_statement(word());
    case TokenKind::colon_colon:
      if (grammar_.starts_declaration(*this)) return declaration(DeclContext::statement);
      return expression_statement();
    default: return expression_statement();
  }
}

void Parser::word_statement(WordInfo w) {
  const uint32_t token = pos_;
  const auto simple = [&](NodeKind kind, uint8_t op) {
    const uint32_t from = mark();
    advance();
    expect_semicolon();
    finish(kind, token, from, op);
  };
  switch (w.word) {
    case Word::if_: return if_statement();
    case Word::for_: return for_statement();
    case Word::while_: return while_statement();
    case Word::do_: return do_statement();
    case Word::switch_: return switch_statement();
    case Word::return_: return return_statement();
    case Word::break_: return simple(NodeKind::break_stmt, 0);
    case Word::continue_: return simple(NodeKind::continue_stmt, 0);
    case Word::discard: return simple(NodeKind::discard_stmt, 0);
    case Word::jump: return simple(NodeKind::jump_stmt, w.op);
    case Word::case_:
    case Word::default_: return label_statement(w);
    case Word::else_:
      report(token, diag::else_without_if);
      advance();
      return statement();
    default: break;
  }
  if (grammar_.starts_declaration(*this)) return declaration(DeclContext::statement);
  expression_statement();
}

void Parser::label_statement(WordInfo w) {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  if (w.word == Word::case_) conditional_expression();
  if (!expect(TokenKind::colon)) accept(TokenKind::semicolon);
  finish(w.word == Word::case_ ? NodeKind::case_label : NodeKind::default_label, token, from);
}

void Parser::expression_statement() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  expression();
  expect_semicolon();
  finish(NodeKind::expr_stmt, token, from);
}

void Parser::block(bool with_scope) {
  const uint32_t from = mark();
  const uint32_t open = pos_;
  if (!expect(TokenKind::l_brace)) return leaf(NodeKind::error, pos_);
  if (with_scope) push_scope();
  while (!at(TokenKind::r_brace) && !at_end()) {
    const uint32_t before = pos_;
    statement();
    if (pos_ != before) continue;
    const uint32_t stray = mark();
    error_expected("a statement");
    advance();
    finish(NodeKind::error, before, stray);
  }
  expect(TokenKind::r_brace, open);
  if (with_scope) pop_scope();
  finish(NodeKind::block, open, from);
}

void Parser::statement_body() {
  const NameScope scope(*this);
  statement();
}

void Parser::condition() {
  if (grammar_.starts_declaration(*this))
    declaration(DeclContext::condition);
  else
    expression();
}

bool Parser::open_paren(uint32_t& open) {
  open = pos_;
  if (expect(TokenKind::l_paren)) return true;
  open = kNoToken;
  return false;
}

void Parser::close_paren(uint32_t open) {
  if (expect(TokenKind::r_paren, open)) return;
  uint32_t depth = 0;
  for (const uint32_t start = pos_; !at_end(); advance()) {
    switch (kind()) {
      case TokenKind::semicolon:
      case TokenKind::l_brace:
      case TokenKind::r_brace: return;
      case TokenKind::l_paren: ++depth; break;
      case TokenKind::r_paren:
        if (depth == 0) return advance();
        --depth;
        break;
      case TokenKind::identifier:
        if (starts_line() && (pos_ != start || word().word != Word::identifier)) return;
        break;
      default: break;
    }
  }
}

void Parser::paren_condition() {
  uint32_t open = kNoToken;
  if (!open_paren(open)) return leaf(NodeKind::error, pos_);
  condition();
  close_paren(open);
}

void Parser::if_statement() {
  struct Link {
    uint32_t from;
    uint32_t token;
  };
  // else-if is a loop: chains may be long.
  std::vector<Link> chain;
  for (;;) {
    chain.push_back({mark(), pos_});
    advance();
    push_scope();
    paren_condition();
    statement_body();
    if (!at_word(Word::else_)) {
      empty();
      break;
    }
    advance();
    if (!at_word(Word::if_)) {
      statement_body();
      break;
    }
    if (chain.size() >= kMaxElseIfChain) {
      report(pos_, diag::else_if_chain_too_long, kMaxElseIfChain);
      give_up();
      error_node("a statement");
      break;
    }
  }
  for (; !chain.empty(); chain.pop_back()) {
    pop_scope();
    finish(NodeKind::if_stmt, chain.back().token, chain.back().from);
  }
}

void Parser::for_statement() {
  const NameScope scope(*this);
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  uint32_t open = kNoToken;
  if (!open_paren(open)) {
    leaf(NodeKind::error, pos_);
    empty();
    empty();
  } else {
    const uint32_t init = mark();
    const uint32_t init_token = pos_;
    if (at(TokenKind::semicolon)) {
      empty();
    } else if (at_attribute() || grammar_.starts_declaration(*this)) {
      declaration(DeclContext::for_init);
    } else {
      expression();
      finish(NodeKind::expr_stmt, init_token, init);
    }
    expect(TokenKind::semicolon);
    if (at(TokenKind::semicolon) || at(TokenKind::r_paren))
      empty();
    else
      condition();
    expect(TokenKind::semicolon);
    if (at(TokenKind::r_paren))
      empty();
    else
      expression();
    close_paren(open);
  }
  statement_body();
  finish(NodeKind::for_stmt, token, from);
}

void Parser::while_statement() {
  const NameScope scope(*this);
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  paren_condition();
  statement_body();
  finish(NodeKind::while_stmt, token, from);
}

void Parser::do_statement() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  statement_body();
  if (at_word(Word::while_)) {
    advance();
    uint32_t open = kNoToken;
    if (open_paren(open)) {
      expression();
      close_paren(open);
    } else {
      leaf(NodeKind::error, pos_);
    }
    expect_semicolon();
  } else {
    error_node("`while` and the condition of `do`");
  }
  finish(NodeKind::do_stmt, token, from);
}

void Parser::switch_statement() {
  const NameScope scope(*this);
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  paren_condition();
  block();
  finish(NodeKind::switch_stmt, token, from);
}

void Parser::return_statement() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  if (at(TokenKind::semicolon))
    empty();
  else if (at(TokenKind::l_brace))
    init_list();
  else
    expression();
  expect_semicolon();
  finish(NodeKind::return_stmt, token, from);
}

void Parser::attributed_statement() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  while (at_attribute()) {
    const uint32_t before = pos_;
    attribute_brackets();
    if (pos_ == before) break;
  }
  if (grammar_.starts_declaration(*this)) return declaration(DeclContext::statement, from);
  finish(NodeKind::attributes, token, from);
  statement();
  finish(NodeKind::attributed_stmt, token, from);
}

}  // namespace carry::syntax
