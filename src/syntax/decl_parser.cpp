// Parts of declarations that the languages share: declarators, functions, parameters, structures, attributes.
#include "syntax/parser_core.h"

namespace carry::syntax {

void Parser::declaration(DeclContext context, uint32_t attributes_mark) {
  grammar_.parse_declaration(*this, context, attributes_mark);
}

uint32_t Parser::declared_name(bool& missing) {
  const uint32_t token = pos_;
  missing = false;
  if (can_be_name(pos_)) {
    advance();
    return token;
  }
  if (at_word(Word::reserved)) {
    report_reserved();
    advance();
    return token;
  }
  missing = true;
  error_expected("a name");
  return token;
}

void Parser::members(uint32_t open) {
  while (!at(TokenKind::r_brace) && !at_end()) {
    const uint32_t before = pos_;
    declaration(DeclContext::members);
    if (pos_ != before) continue;
    const uint32_t stray = mark();
    error_expected("a declaration");
    advance();
    finish(NodeKind::error, before, stray);
  }
  expect(TokenKind::r_brace, open);
}

void Parser::attribute_brackets() {
  const uint32_t open = pos_;
  advance();
  const bool twice = accept(TokenKind::l_bracket);
  do {
    const uint32_t from = mark();
    uint32_t token = pos_;
    if (!at_name()) {
      error_node("the name of an attribute");
      break;
    }
    advance();
    if (at(TokenKind::colon_colon)) {
      leaf(NodeKind::name, token);
      advance();
      token = pos_;
      if (at_name())
        advance();
      else
        error_expected("the name of an attribute");
    } else {
      leaf(NodeKind::empty, token);
    }
    if (at(TokenKind::l_paren)) {
      const uint32_t paren = pos_;
      advance();
      if (!at(TokenKind::r_paren)) {
        do {
          initializer();
        } while (accept(TokenKind::comma));
      }
      close_paren(paren);
    }
    finish(NodeKind::attribute, token, from, 0, flag_if(twice, kNodeDoubleBracket));
  } while (accept(TokenKind::comma));
  expect(TokenKind::r_bracket, open);
  if (twice) expect(TokenKind::r_bracket, open);
}

void Parser::struct_specifier() {
  const Nest nest(*this);
  if (!nest.ok) return error_node("a structure");
  const uint32_t from = mark();
  uint32_t token = pos_;
  const uint8_t struct_kind = word().op;
  uint32_t flags = kNodeUnnamed;
  advance();
  const uint32_t attributes_token = pos_;
  while (at_attribute()) {
    const uint32_t before = pos_;
    attribute_brackets();
    if (pos_ == before) break;
  }
  finish(NodeKind::attributes, attributes_token, from);
  if (!at(TokenKind::l_brace) && !(at(TokenKind::colon) && mode_.is_hlsl())) {
    bool missing = false;
    const uint32_t name = declared_name(missing);
    if (!missing) {
      token = name;
      flags = 0;
      last_type_name_ = name_at(name);
      declare(last_type_name_, NameState::type);
    }
    if (at(TokenKind::less) && grammar_.has_templates) {
      not_supported(pos_, "specialisation of a template");
      template_args();
    }
  }
  const uint32_t bases = mark();
  const uint32_t bases_token = pos_;
  if (accept(TokenKind::colon)) {
    do {
      type();
    } while (accept(TokenKind::comma));
  }
  finish(NodeKind::bases, bases_token, bases);
  if (at(TokenKind::l_brace)) {
    const NameScope scope(*this);
    const uint32_t open = pos_;
    advance();
    members(open);
  } else if ((flags & kNodeUnnamed) != 0) {
    error_expected("`{`");
  } else {
    flags |= kNodeForward;
  }
  finish(NodeKind::struct_decl, token, from, struct_kind, flags);
}

void Parser::enum_specifier() {
  const uint32_t from = mark();
  uint32_t token = pos_;
  uint32_t flags = kNodeUnnamed;
  advance();
  if (at_word(Word::struct_)) {
    flags |= kNodeEnumClass;
    advance();
  }
  if (can_be_name(pos_)) {
    token = pos_;
    flags &= ~static_cast<uint32_t>(kNodeUnnamed);
    last_type_name_ = name_at(pos_);
    declare(last_type_name_, NameState::type);
    advance();
  }
  if (accept(TokenKind::colon))
    type();
  else
    empty();
  const uint32_t open = pos_;
  if (accept(TokenKind::l_brace)) {
    while (!at(TokenKind::r_brace) && !at_end()) {
      enumerator((flags & kNodeEnumClass) == 0);
      if (!accept(TokenKind::comma)) break;
    }
    expect(TokenKind::r_brace, open);
  } else if ((flags & kNodeUnnamed) != 0) {
    error_expected("`{`");
  } else {
    flags |= kNodeForward;
  }
  finish(NodeKind::enum_decl, token, from, 0, flags);
}

void Parser::enumerator(bool visible) {
  const uint32_t from = mark();
  bool missing = false;
  const uint32_t name = declared_name(missing);
  if (!missing && visible) declare(name_at(name), NameState::value);
  if (accept(TokenKind::equal))
    conditional_expression();
  else
    empty();
  finish(NodeKind::enumerator, name, from, 0, flag_if(missing, kNodeUnnamed));
}

void Parser::declarator_rest(uint32_t from, uint32_t name, NameState new_state, uint32_t flags) {
  array_dims();
  grammar_.parse_annotations(*this);
  if ((flags & kNodeUnnamed) == 0) declare(name_at(name), new_state);
  if (!grammar_.parse_special_initializer(*this)) {
    if (accept(TokenKind::equal))
      initializer();
    else
      empty();
  }
  finish(NodeKind::declarator, name, from, 0, flags);
}

void Parser::declarators(NameState new_state) {
  do {
    const uint32_t from = mark();
    bool missing = false;
    const uint32_t name = declared_name(missing);
    if (missing && !at(TokenKind::l_bracket) && !at(TokenKind::equal)) {
      leaf(NodeKind::error, pos_);
      return;
    }
    declarator_rest(from, name, new_state, flag_if(missing, kNodeUnnamed));
  } while (accept(TokenKind::comma));
}

bool Parser::struct_without_semicolon() const {
  const NodeKind last = last_node().kind;
  if ((last != NodeKind::struct_decl && last != NodeKind::enum_decl) || !starts_line() || !at_name()) return false;
  if ((last_node().flags & kNodeForward) != 0) return false;
  return !can_be_name(pos_) || ahead(1) == TokenKind::identifier;
}

void Parser::declaration_rest(uint32_t from, uint32_t first, DeclContext context) {
  const bool ends_here = context == DeclContext::for_init || context == DeclContext::condition;
  if (at_word(Word::operator_) || (at_name() && ahead(1) == TokenKind::colon_colon) ||
      (can_be_name(pos_) && ahead(1) == TokenKind::l_paren && !ends_here)) {
    return function_rest(from, first);
  }
  if (!at(TokenKind::semicolon) && !struct_without_semicolon()) declarators(NameState::value);
  if (!ends_here) expect_semicolon();
  finish(NodeKind::var_decl, first, from);
}

void Parser::method_class() {
  if (ahead(1) != TokenKind::colon_colon || !at_name()) return empty();
  const uint32_t from = mark();
  leaf(NodeKind::name, pos_);
  advance();
  while (at(TokenKind::colon_colon)) {
    const uint32_t token = pos_;
    advance();
    if (!(at_name() && ahead(1) == TokenKind::colon_colon)) return;
    leaf(NodeKind::name, pos_);
    advance();
    finish(NodeKind::scope, token, from);
  }
}

uint32_t Parser::operator_name() {
  advance();
  const uint32_t token = pos_;
  if (at(TokenKind::l_paren) || at(TokenKind::l_bracket)) {
    advance();
    advance();
  } else if (!at_name() && !at_end()) {
    advance();
  } else {
    error_expected("an operator");
  }
  return token;
}

// `= 1` after `int S::x`.
void Parser::member_definition(uint32_t scope, uint32_t name) {
  const uint32_t rest = mark();
  array_dims();
  grammar_.parse_annotations(*this);
  if (accept(TokenKind::equal))
    initializer();
  else
    empty();
  move_before(rest, scope);
  finish(NodeKind::declarator, name, scope, 0, kNodeScoped);
  expect_semicolon();
}

void Parser::function_rest(uint32_t from, uint32_t first) {
  const uint32_t owner = mark();
  method_class();
  const bool scoped = last_node().kind != NodeKind::empty;
  uint32_t flags = 0;
  uint32_t name = pos_;
  if (at_word(Word::operator_)) {
    flags |= kNodeOperator;
    name = operator_name();
  } else {
    bool missing = false;
    name = declared_name(missing);
    if (missing)
      flags |= kNodeUnnamed;
    else if (state(name_at(name)) != NameState::function_template)
      declare(name_at(name), NameState::function);
    if (scoped && !missing && !at(TokenKind::l_paren)) {
      member_definition(owner, name);
      return finish(NodeKind::var_decl, first, from);
    }
  }
  const NameScope scope(*this);
  params();
  if (at_name() && word().word == Word::qualifier && static_cast<QualifierKind>(word().op) == QualifierKind::const_) {
    flags |= kNodeConstMethod;
    advance();
  }
  grammar_.parse_annotations(*this);
  if (at(TokenKind::l_brace)) {
    block(false);
  } else {
    empty();
    expect_semicolon();
  }
  finish(NodeKind::function_decl, name, from, 0, flags);
}

void Parser::params() {
  const uint32_t from = mark();
  const uint32_t open = pos_;
  expect(TokenKind::l_paren);
  if (at_text("void") && ahead(1) == TokenKind::r_paren) advance();
  if (!at(TokenKind::r_paren) && !at(TokenKind::l_brace) && !at_end()) {
    do {
      param();
    } while (accept(TokenKind::comma));
  }
  close_paren(open);
  finish(NodeKind::params, open, from);
}

void Parser::param() {
  const uint32_t from = mark();
  uint32_t token = pos_;
  grammar_.parse_qualifiers(*this, from);
  type();
  const bool named = can_be_name(pos_);
  if (named) {
    token = pos_;
    advance();
  }
  array_dims();
  grammar_.parse_annotations(*this);
  if (named) declare(name_at(token), NameState::value);
  if (mode_.is_hlsl() && accept(TokenKind::equal))
    initializer();
  else
    empty();
  finish(NodeKind::param, token, from, 0, flag_if(!named, kNodeUnnamed));
}

}  // namespace carry::syntax
