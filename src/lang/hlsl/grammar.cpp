#include "lang/hlsl/grammar.h"

#include "lang/hlsl/grammar_annotations.h"
#include "lang/hlsl/keywords.h"
#include "syntax/parser_core.h"

namespace carry::hlsl {

namespace {

using syntax::DeclContext;
using syntax::NameScope;
using syntax::NameState;
using syntax::Parser;
using syntax::Word;
using syntax::WordInfo;

// `point`, `sample`, `linear` and the like are qualifiers only before another word, and not when declared as a name.
bool at_qualifier(const Parser& p) {
  if (!p.at_name()) return false;
  const WordInfo w = p.word();
  if (w.word == Word::qualifier) return true;
  if (w.word != Word::soft_qualifier || p.state(p.name_at(p.pos())) != NameState::unknown) return false;
  return p.ahead(1) == TokenKind::identifier;
}

void parse_attributes(Parser& p) {
  while (p.at_attribute()) {
    const uint32_t before = p.pos();
    p.attribute_brackets();
    if (p.pos() == before) break;
  }
}

void parse_qualifiers(Parser& p, uint32_t from) {
  const uint32_t token = p.pos();
  for (;;) {
    if (p.at_attribute()) {
      const uint32_t before = p.pos();
      parse_attributes(p);
      if (p.pos() == before) break;
    } else if (at_qualifier(p)) {
      p.leaf(NodeKind::qualifier, p.pos(), p.word().op);
      p.advance();
    } else {
      break;
    }
  }
  p.finish(NodeKind::qualifiers, token, from);
}

// `float3 const x`: the word belongs to the type before it.
void parse_trailing_const(Parser& p, uint32_t type_from) {
  const auto at_const = [&] {
    return p.at_name() && p.word().word == Word::qualifier && static_cast<QualifierKind>(p.word().op) == QualifierKind::const_;
  };
  if (!at_const()) return;
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  while (at_const()) {
    p.leaf(NodeKind::qualifier, p.pos(), p.word().op);
    p.advance();
  }
  p.finish(NodeKind::qualifiers, token, from);
  p.move_before(from, type_from);
  p.finish(NodeKind::qualified_type, token, type_from);
}

void parse_buffer_block(Parser& p, uint32_t from) {
  const uint8_t op = p.word().op;
  uint32_t token = p.pos();
  uint32_t flags = kNodeUnnamed;
  p.advance();
  if (p.can_be_name(p.pos())) {
    token = p.pos();
    flags = 0;
    p.advance();
  }
  parse_annotations(p);
  const uint32_t open = p.pos();
  if (p.expect(TokenKind::l_brace)) p.members(open);
  p.accept(TokenKind::semicolon);
  p.finish(NodeKind::buffer_block, token, from, op, flags);
}

void parse_namespace(Parser& p) {
  const uint32_t from = p.mark();
  uint32_t token = p.pos();
  uint32_t flags = kNodeUnnamed;
  p.advance();
  std::vector<uint32_t> names;  // namespace A::B { }
  if (p.at_name()) {
    token = p.pos();
    flags = 0;
    p.advance();
    while (p.accept(TokenKind::colon_colon)) {
      bool missing = false;
      const uint32_t name = p.declared_name(missing);
      if (missing) break;
      names.push_back(name);
      if (names.size() >= kMaxNesting) break;
    }
  }
  const uint32_t open = p.pos();
  const syntax::Nest nest(p);
  if (nest.ok && p.expect(TokenKind::l_brace)) {
    const NameScope scope(p);
    p.members(open);
  }
  for (; !names.empty(); names.pop_back()) p.finish(NodeKind::namespace_decl, names.back(), from);
  p.finish(NodeKind::namespace_decl, token, from, 0, flags);
}

void parse_typedef(Parser& p, uint32_t from) {
  const uint32_t token = p.pos();
  p.advance();
  parse_qualifiers(p, from);
  const uint32_t type_from = p.mark();
  p.type();
  parse_trailing_const(p, type_from);
  p.declarators(NameState::type);
  p.expect_semicolon();
  p.finish(NodeKind::typedef_decl, token, from);
}

void parse_using(Parser& p) {
  const uint32_t from = p.mark();
  uint32_t token = p.pos();
  p.advance();
  if (p.at_word(Word::namespace_)) {
    p.advance();
    p.type_name();
    p.expect_semicolon();
    return p.finish(NodeKind::using_namespace, token, from);
  }
  if (p.ahead(1) == TokenKind::colon_colon || p.at(TokenKind::colon_colon)) {
    p.type_name();
    p.expect_semicolon();
    return p.finish(NodeKind::using_namespace, token, from, 0, kNodeForward);
  }
  bool missing = false;
  token = p.declared_name(missing);
  if (p.at_attribute()) {
    p.not_supported(p.pos(), "attributes of a type alias");
    p.skip_balanced();
  }
  p.expect(TokenKind::equal);
  p.type_with_qualifiers();
  if (!missing) p.declare(p.name_at(token), NameState::type);
  p.expect_semicolon();
  p.finish(NodeKind::using_alias, token, from, 0, syntax::flag_if(missing, kNodeUnnamed));
}

void parse_static_assert(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.advance();
  const uint32_t open = p.pos();
  p.expect(TokenKind::l_paren);
  p.conditional_expression();
  if (p.accept(TokenKind::comma))
    p.conditional_expression();
  else
    p.empty();
  p.close_paren(open);
  p.expect_semicolon();
  p.finish(NodeKind::static_assert_decl, token, from);
}

void parse_technique(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  while (!p.at(TokenKind::l_brace) && !p.at(TokenKind::semicolon) && !p.at(TokenKind::r_brace) && !p.at_end()) p.advance();
  if (p.at(TokenKind::l_brace)) p.skip_balanced();
  p.accept(TokenKind::semicolon);
  p.diags().emit(p.token_at(token).loc, diag::effect_block_ignored, p.text_at(token));
  p.finish(NodeKind::ignored_decl, token, from);
}

void parse_template_param(Parser& p) {
  const uint32_t from = p.mark();
  uint32_t token = p.pos();
  const bool is_type = p.at_word(Word::typename_) || p.at_text("class");
  if (is_type) {
    p.advance();
    p.empty();
  } else {
    p.type();
  }
  uint32_t flags = kNodeUnnamed;
  if (p.can_be_name(p.pos())) {
    token = p.pos();
    flags = 0;
    p.declare(p.name_at(token), is_type ? NameState::type : NameState::value);
    p.advance();
  }
  if (!p.accept(TokenKind::equal))
    p.empty();
  else if (is_type)
    p.type_with_qualifiers();
  else
    p.template_argument();
  p.finish(NodeKind::template_param, token, from, 0, flags);
}

void parse_template(Parser& p, DeclContext context) {
  const syntax::Nest nest(p);
  if (!nest.ok) return p.error_node("a template");
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  NameId name;
  NameState state = NameState::unknown;
  p.advance();
  {
    const NameScope scope(p);
    const uint32_t params = p.mark();
    const uint32_t open = p.pos();
    if (p.expect(TokenKind::less)) {
      if (!p.at(TokenKind::greater)) {
        do {
          parse_template_param(p);
        } while (p.accept(TokenKind::comma));
      }
      p.expect_greater();
    }
    p.finish(NodeKind::template_params, open, params);
    p.declaration(context);
    const Node& decl = p.last_node();
    if (decl.kind == NodeKind::function_decl && (decl.flags & (kNodeUnnamed | kNodeOperator)) == 0) {
      name = p.name_at(decl.token);
      state = NameState::function_template;
    } else if (decl.kind == NodeKind::var_decl && !p.last_type_name().is_none()) {
      name = p.last_type_name();
      state = NameState::type_template;
    }
  }
  p.declare(name, state);
  p.finish(NodeKind::template_decl, token, from);
}

// Attributes, if any, lie in the tree from `from` on.
bool parse_word_declaration(Parser& p, DeclContext context, uint32_t from) {
  if (p.mark() != from && !p.at_word(Word::typedef_)) return false;
  if (context == DeclContext::condition || context == DeclContext::for_init) return false;
  switch (p.word().word) {
    case Word::namespace_: parse_namespace(p); return true;
    case Word::typedef_: parse_typedef(p, from); return true;
    case Word::using_: parse_using(p); return true;
    case Word::template_: parse_template(p, context); return true;
    case Word::static_assert_: parse_static_assert(p); return true;
    case Word::technique:
      if (p.ahead(1) != TokenKind::identifier && p.ahead(1) != TokenKind::l_brace) return false;
      parse_technique(p);
      return true;
    default: return false;
  }
}

void parse_declaration(Parser& p, DeclContext context, uint32_t attributes_mark) {
  const uint32_t from = attributes_mark == Parser::kNoMark ? p.mark() : attributes_mark;
  const uint32_t token = p.pos();
  if (p.at(TokenKind::semicolon)) {
    p.advance();
    return p.leaf(NodeKind::empty_stmt, token);
  }
  parse_attributes(p);
  if (p.at_name() && parse_word_declaration(p, context, from)) return;
  parse_qualifiers(p, from);
  if (p.at_word(Word::buffer_block)) return parse_buffer_block(p, from);
  const uint32_t type_from = p.mark();
  const uint32_t before_type = p.pos();
  p.type();
  if (p.last_node().kind == NodeKind::error && p.pos() == before_type) {
    if (context == DeclContext::file || context == DeclContext::members) p.skip_to_statement_end();
    return p.finish(NodeKind::error, token, from);
  }
  if (p.at(TokenKind::l_bracket)) {
    const uint32_t bracket = p.pos();
    p.report(bracket, diag::array_brackets_before_name);
    p.array_dims();
    p.finish(NodeKind::array_type, bracket, type_from);
  }
  parse_trailing_const(p, type_from);
  p.declaration_rest(from, token, context);
}

bool starts_declaration(const Parser& p) {
  if (at_qualifier(p)) return true;
  if (!p.at_name() && !p.at(TokenKind::colon_colon)) return false;
  const uint32_t pos = p.pos();
  if (p.at_name()) {
    switch (p.word().word) {
      case Word::struct_:
      case Word::enum_:
      case Word::typedef_:
      case Word::using_:
      case Word::template_:
      case Word::typename_:
      case Word::static_assert_:
      case Word::buffer_block:
      case Word::namespace_:
      case Word::unsigned_: return true;
      case Word::identifier:
      case Word::soft_qualifier:
      case Word::type:
      case Word::technique: break;
      default: return false;
    }
  }
  const uint32_t after = p.scan_type(pos);
  if (after == Parser::kNoToken) return false;
  if (p.kind_at(after) == TokenKind::identifier) {
    // A lone unknown name at the end of a line is an expression without its `;`.
    return !(p.token_at(after).flags & kTokenLineStart) || p.is_type_name(pos);
  }
  // `T;` and `T = 3` declare nothing: let the declaration say that a name is missing.
  const bool known = after == pos + 1 && p.is_type_name(pos);
  return known && p.kind_at(after) != TokenKind::l_paren && p.kind_at(after) != TokenKind::dot;
}

constexpr syntax::Grammar kGrammar = {
    .language = "HLSL",
    .has_casts = true,
    .has_templates = true,
    .has_logical_xor = false,
    .has_arrow = false,
    .classify = classify_word,
    .word_need = [](std::string_view, const LanguageMode&) { return Need(); },
    .word_extension = [](std::string_view, const LanguageMode&, const Names&) { return NameId(); },
    .starts_declaration = starts_declaration,
    .parse_declaration = parse_declaration,
    .parse_qualifiers = parse_qualifiers,
    .parse_annotations = parse_annotations,
    .parse_special_initializer = parse_state_block,
};

}  // namespace

const syntax::Grammar& grammar() { return kGrammar; }

}  // namespace carry::hlsl
