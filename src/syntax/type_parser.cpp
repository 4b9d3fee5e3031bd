// Types as written, and the look-ahead that tells types from expressions.
#include "syntax/parser_core.h"

namespace carry::syntax {

namespace {

// A look-ahead over template arguments gives up after this many tokens, so that parsing stays linear.
constexpr uint32_t kMaxTemplateLookahead = 128;
// Arguments of templates are parsed from `+` upwards: `>` and `>>` close the list.
constexpr int kTemplateArgPrecedence = 13;

}  // namespace

void Parser::type_name() {
  const uint32_t from = mark();
  if (at(TokenKind::colon_colon)) {
    empty();
  } else {
    const bool word = this->word().word == Word::type && state(name_at(pos_)) == NameState::unknown;
    leaf(word ? NodeKind::builtin_type : NodeKind::name, pos_);
    advance();
  }
  scope_tail(from);
}

void Parser::scope_tail(uint32_t from) {
  while (at(TokenKind::colon_colon) && !half_) {
    const uint32_t token = pos_;
    advance();
    if (at_name() && word().word != Word::operator_) {
      leaf(NodeKind::name, pos_);
      advance();
    } else {
      error_node("a name");
    }
    finish(NodeKind::scope, token, from);
  }
}

void Parser::type() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  if (at_word(Word::unsigned_)) {
    advance();
    const bool two_words = at_name() && word().word == Word::type;
    if (two_words) advance();
    leaf(NodeKind::builtin_type, two_words ? token + 1 : token, 0, kNodeUnsigned);
    return;
  }
  if (at_word(Word::struct_)) {
    struct_specifier();
  } else if (at_word(Word::enum_)) {
    enum_specifier();
  } else {
    if (at_word(Word::typename_)) advance();
    const bool hard_word = at_name() && word().word != Word::type && !can_be_name(pos_);
    if (at_word(Word::reserved)) {
      report_reserved();
      advance();
      leaf(NodeKind::error, token);
    } else if (hard_word || (!at_name() && !(at(TokenKind::colon_colon) && grammar_.has_templates))) {
      error_node("a type");
      return;
    } else {
      const bool generic = at_word(Word::type) && (word().op & kWordGeneric) != 0;
      type_name();
      if (generic && at(TokenKind::less)) {
        not_supported(token, text_at(token));
        const uint32_t less = pos_;
        template_args();
        finish(NodeKind::template_ref, less, from);
      }
      while (grammar_.has_templates && at(TokenKind::less) && !half_) {
        const uint32_t less = pos_;
        template_args();
        finish(NodeKind::template_ref, less, from);
        scope_tail(from);
      }
    }
  }
  if (!grammar_.has_templates && at(TokenKind::l_bracket)) {
    const uint32_t bracket = pos_;
    array_dims();
    finish(NodeKind::array_type, bracket, from);
  }
}

namespace {

bool is_type_qualifier(WordInfo w) {
  if (w.word != Word::qualifier && w.word != Word::soft_qualifier) return false;
  switch (static_cast<QualifierKind>(w.op)) {
    case QualifierKind::const_:
    case QualifierKind::volatile_:
    case QualifierKind::snorm:
    case QualifierKind::unorm:
    case QualifierKind::row_major:
    case QualifierKind::column_major:
    case QualifierKind::precise: return true;
    default: return false;
  }
}

}  // namespace

void Parser::type_with_qualifiers() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  const bool qualified = at_name() && is_type_qualifier(word()) && state(name_at(pos_)) == NameState::unknown;
  if (qualified) {
    while (at_name() && is_type_qualifier(word())) {
      leaf(NodeKind::qualifier, pos_, word().op);
      advance();
    }
    finish(NodeKind::qualifiers, token, from);
  }
  const uint32_t type_from = mark();
  type();
  if (at(TokenKind::l_bracket)) {
    const uint32_t bracket = pos_;
    array_dims();
    finish(NodeKind::array_type, bracket, type_from);
  }
  if (qualified) finish(NodeKind::qualified_type, token, from);
}

void Parser::template_args() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  advance();
  const Nest nest(*this);
  if (!nest.ok) return leaf(NodeKind::template_args, token);
  if (!at(TokenKind::greater)) {
    do {
      template_argument();
    } while (accept(TokenKind::comma));
  }
  expect_greater();
  finish(NodeKind::template_args, token, from);
}

void Parser::template_argument() {
  const uint32_t after = at_name() || at(TokenKind::colon_colon) ? scan_type(pos_) : kNoToken;
  if (after != kNoToken) {
    switch (kind_at(after)) {
      case TokenKind::comma:
      case TokenKind::greater:
      case TokenKind::greater_greater:
      case TokenKind::greater_equal:
      case TokenKind::greater_greater_equal:
      case TokenKind::l_bracket: return type_with_qualifiers();
      default: break;
    }
  }
  binary_expression(kTemplateArgPrecedence);
}

void Parser::array_dims() {
  const uint32_t from = mark();
  const uint32_t token = pos_;
  while (at(TokenKind::l_bracket)) {
    const uint32_t open = pos_;
    advance();
    if (at(TokenKind::r_bracket))
      empty();
    else
      expression();
    if (!expect(TokenKind::r_bracket, open)) break;
  }
  finish(NodeKind::array_dims, token, from);
}

uint32_t Parser::scan_dims(uint32_t pos) const {
  while (kind_at(pos) == TokenKind::l_bracket) {
    uint32_t depth = 0;
    const uint32_t limit = pos + kMaxTemplateLookahead;
    do {
      const TokenKind k = kind_at(pos);
      if (k == TokenKind::l_bracket) ++depth;
      if (k == TokenKind::r_bracket) --depth;
      if (k == TokenKind::eof || k == TokenKind::semicolon || k == TokenKind::l_brace || pos > limit) return kNoToken;
      ++pos;
    } while (depth != 0);
  }
  return pos;
}

uint32_t Parser::scan_type(uint32_t pos) const {
  while (kind_at(pos) == TokenKind::identifier && is_type_qualifier(word_at(pos))) ++pos;
  if (kind_at(pos) == TokenKind::identifier) {
    const WordInfo w = word_at(pos);
    if (w.word == Word::unsigned_) return word_at(pos + 1).word == Word::type ? pos + 2 : pos + 1;
    if (w.word == Word::struct_ || w.word == Word::typename_) ++pos;
  }
  if (kind_at(pos) == TokenKind::identifier && kind_at(pos + 1) != TokenKind::colon_colon) {
    const NameState s = state(name_at(pos));
    const bool declared_type = s == NameState::type || s == NameState::type_template;
    if (!declared_type && s != NameState::unknown) return kNoToken;
    const WordInfo w = word_at(pos);
    if (w.word != Word::type && !can_be_name(pos)) return kNoToken;
    ++pos;
  } else {
    if (kind_at(pos) == TokenKind::identifier) ++pos;
    if (kind_at(pos) != TokenKind::colon_colon) return kNoToken;
  }
  for (;;) {
    if (kind_at(pos) == TokenKind::colon_colon) {
      if (kind_at(pos + 1) != TokenKind::identifier) return kNoToken;
      pos += 2;
    } else if (kind_at(pos) == TokenKind::less && grammar_.has_templates) {
      pos = scan_template_args(pos);
      if (pos == kNoToken) return pos;
    } else {
      break;
    }
  }
  return scan_dims(pos);
}

uint32_t Parser::scan_template_args(uint32_t pos) const {
  int depth = 0;
  int parens = 0;
  for (const uint32_t limit = pos + kMaxTemplateLookahead; pos < limit; ++pos) {
    switch (kind_at(pos)) {
      case TokenKind::less: ++depth; break;
      case TokenKind::greater: depth -= parens == 0 ? 1 : 0; break;
      case TokenKind::greater_greater: depth -= parens == 0 ? 2 : 0; break;
      case TokenKind::l_paren:
      case TokenKind::l_bracket: ++parens; break;
      case TokenKind::r_paren:
      case TokenKind::r_bracket:
        if (--parens < 0) return kNoToken;
        break;
      case TokenKind::identifier:
      case TokenKind::int_literal:
      case TokenKind::float_literal:
      case TokenKind::comma:
      case TokenKind::colon_colon:
      case TokenKind::plus:
      case TokenKind::minus:
      case TokenKind::star:
      case TokenKind::slash:
      case TokenKind::percent: break;
      default: return kNoToken;
    }
    if (depth == 0) return pos + 1;
    // The second half of `>>` belongs to an outer list.
    if (depth < 0) return pos;
  }
  return kNoToken;
}

}  // namespace carry::syntax
