#include "lang/glsl/grammar.h"

#include "lang/glsl/keywords.h"
#include "syntax/parser_core.h"

namespace carry::glsl {

namespace {

using syntax::DeclContext;
using syntax::NameScope;
using syntax::NameState;
using syntax::Parser;
using syntax::Word;
using syntax::WordInfo;

void parse_layout(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.advance();
  const uint32_t open = p.pos();
  if (p.expect(TokenKind::l_paren)) {
    do {
      const uint32_t id_from = p.mark();
      const uint32_t id = p.pos();
      if (!p.at_name()) {
        p.error_node("a layout qualifier");
        break;
      }
      p.advance();
      if (p.accept(TokenKind::equal))
        p.conditional_expression();
      else
        p.empty();
      p.finish(NodeKind::layout_id, id, id_from);
    } while (p.accept(TokenKind::comma));
    p.close_paren(open);
  }
  p.finish(NodeKind::layout_qualifier, token, from);
}

void parse_subroutine(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.advance();
  const uint32_t open = p.pos();
  if (p.accept(TokenKind::l_paren)) {
    do {
      if (!p.at_name()) {
        p.error_node("the name of a subroutine type");
        break;
      }
      p.leaf(NodeKind::name, p.pos());
      p.advance();
    } while (p.accept(TokenKind::comma));
    p.close_paren(open);
  }
  p.finish(NodeKind::subroutine_qualifier, token, from);
}

// GLSL before 4.20 and ESSL before 3.10 fix the order: precise, invariant, interpolation, storage, precision.
int order_of(QualifierKind kind) {
  switch (kind) {
    case QualifierKind::precise: return 1;
    case QualifierKind::invariant: return 2;
    case QualifierKind::flat:
    case QualifierKind::smooth:
    case QualifierKind::noperspective: return 3;
    case QualifierKind::const_: return 4;
    case QualifierKind::in:
    case QualifierKind::out:
    case QualifierKind::inout:
    case QualifierKind::uniform:
    case QualifierKind::attribute:
    case QualifierKind::varying: return 6;
    case QualifierKind::highp:
    case QualifierKind::mediump:
    case QualifierKind::lowp: return 7;
    default: return 0;
  }
}

bool has_fixed_order(const Parser& p) {
  if (p.mode().glsl_version >= (p.mode().is_es() ? 310 : 420)) return false;
  const NameId extension = p.names().find("GL_ARB_shading_language_420pack");
  return !(extension && p.mode().has_extension(extension));
}

// spirv_execution_mode(extensions = ["..."], capabilities = [n], mode, operands...): an attribute with the plain numbers.
void parse_spirv_mode(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.empty();
  p.advance();
  const uint32_t open = p.pos();
  if (p.expect(TokenKind::l_paren)) {
    do {
      if (p.at_name() && p.ahead(1) == TokenKind::equal) {
        p.advance();
        p.advance();
        if (p.at(TokenKind::l_bracket)) p.skip_balanced();
        continue;
      }
      p.conditional_expression();
    } while (p.accept(TokenKind::comma));
    p.close_paren(open);
  }
  p.finish(NodeKind::attribute, token, from);
}

void parse_spirv(Parser& p) {
  if (p.text_at(p.pos()) == "spirv_execution_mode") return parse_spirv_mode(p);
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.not_supported(token, "GL_EXT_spirv_intrinsics");
  p.advance();
  if (p.at(TokenKind::l_paren)) p.skip_balanced();
  p.finish(NodeKind::error, token, from);
}

void parse_qualifiers(Parser& p, uint32_t from) {
  const uint32_t token = p.pos();
  const bool fixed_order = has_fixed_order(p);
  int order = 0;
  uint32_t ordered = token;
  for (; p.at_name();) {
    const WordInfo w = p.word();
    if (w.word == Word::layout) {
      parse_layout(p);
    } else if (w.word == Word::subroutine) {
      parse_subroutine(p);
    } else if (w.word == Word::spirv) {
      parse_spirv(p);
    } else if (w.word == Word::qualifier) {
      const int next = order_of(static_cast<QualifierKind>(w.op));
      if (fixed_order && next != 0) {
        if (next < order) {
          p.report(p.pos(), diag::qualifier_order, p.text_at(p.pos()), p.text_at(ordered), p.mode().glsl_version);
        }
        order = next;
        ordered = p.pos();
      }
      p.leaf(NodeKind::qualifier, p.pos(), w.op);
      p.advance();
    } else {
      break;
    }
  }
  p.finish(NodeKind::qualifiers, token, from);
}

void parse_precision(Parser& p, uint32_t from) {
  const uint32_t token = p.pos();
  p.advance();
  uint8_t op = static_cast<uint8_t>(QualifierKind::highp);
  const WordInfo w = p.word();
  const bool known = p.at_name() && w.word == Word::qualifier && order_of(static_cast<QualifierKind>(w.op)) == 7;
  if (known) {
    op = w.op;
    p.advance();
  } else {
    p.error_expected("`highp`, `mediump` or `lowp`");
  }
  p.type();
  p.expect_semicolon();
  p.finish(NodeKind::precision_decl, token, from, op);
}

/// layout(buffer_reference) among the qualifiers that begin at the token.
bool names_a_reference(const Parser& p, uint32_t token) {
  for (uint32_t i = token; i < p.pos(); ++i) {
    if (p.kind_at(i) == TokenKind::identifier && p.text_at(i) == "buffer_reference") return true;
  }
  return false;
}

// After the qualifiers, at `Name {`.
void parse_interface_block(Parser& p, uint32_t from, uint32_t token) {
  const uint32_t name = p.pos();
  if (names_a_reference(p, token)) p.declare(p.name_at(name), NameState::type);
  p.advance();
  {
    const NameScope scope(p);
    const uint32_t members = p.mark();
    const uint32_t open = p.pos();
    p.advance();
    p.members(open);
    p.finish(NodeKind::block_members, open, members);
  }
  if (p.can_be_name(p.pos()) && !(p.starts_line() && p.ahead(1) == TokenKind::identifier)) {
    const uint32_t instance = p.mark();
    const uint32_t token = p.pos();
    p.advance();
    p.declarator_rest(instance, token, NameState::value, 0);
  } else {
    p.empty();
  }
  p.expect_semicolon();
  p.finish(NodeKind::interface_block, name, from);
}

// layout(...) in;   invariant a, b;
void parse_qualifier_decl(Parser& p, uint32_t from, uint32_t token) {
  if (!p.at(TokenKind::semicolon)) {
    const bool reference = names_a_reference(p, token);
    do {
      if (reference && p.at_name()) p.declare(p.name_at(p.pos()), NameState::type);
      if (!p.at_name()) {
        p.error_node("a name");
        break;
      }
      p.leaf(NodeKind::name, p.pos());
      p.advance();
    } while (p.accept(TokenKind::comma));
  }
  p.expect_semicolon();
  p.finish(NodeKind::qualifier_decl, token, from);
}

bool at_requalified_names(const Parser& p) {
  if (!p.can_be_name(p.pos())) return false;
  const TokenKind next = p.ahead(1);
  if (next == TokenKind::comma) return true;
  // `S;` with a known type declares nothing; `gl_Position;` after qualifiers names a variable.
  return next == TokenKind::semicolon && !p.is_type_name(p.pos());
}

void parse_declaration(Parser& p, DeclContext context, uint32_t attributes_mark) {
  const uint32_t from = attributes_mark == Parser::kNoMark ? p.mark() : attributes_mark;
  const uint32_t token = p.pos();
  if (p.at(TokenKind::semicolon)) {
    p.advance();
    return p.leaf(NodeKind::empty_stmt, token);
  }
  if (p.at_word(Word::precision) && context != DeclContext::members) return parse_precision(p, from);
  while (p.at_attribute()) {
    const uint32_t before = p.pos();
    p.attribute_brackets();
    if (p.pos() == before) break;
  }
  parse_qualifiers(p, from);
  const bool qualified = p.last_node().size > 1;
  if (qualified && p.at(TokenKind::semicolon) && context != DeclContext::members) {
    return parse_qualifier_decl(p, from, token);
  }
  if (qualified && p.can_be_name(p.pos()) && p.ahead(1) == TokenKind::l_brace) return parse_interface_block(p, from, token);
  if (qualified && at_requalified_names(p)) return parse_qualifier_decl(p, from, token);
  const uint32_t before_type = p.pos();
  p.type();
  if (p.last_node().kind == NodeKind::error && p.pos() == before_type) {
    if (context == DeclContext::file || context == DeclContext::members) p.skip_to_statement_end();
    return p.finish(NodeKind::error, token, from);
  }
  p.declaration_rest(from, token, context);
}

bool starts_declaration(const Parser& p) {
  if (!p.at_name()) return false;
  const uint32_t pos = p.pos();
  const NameState state = p.state(p.name_at(pos));
  const WordInfo w = p.word();
  switch (w.word) {
    case Word::layout:
    case Word::subroutine:
    case Word::precision:
    case Word::spirv:
    case Word::struct_: return true;
    case Word::qualifier:
      return !(static_cast<QualifierKind>(w.op) == QualifierKind::nonuniform && p.ahead(1) == TokenKind::l_paren);
    case Word::type: break;
    case Word::identifier:
      // Two names in a row can be nothing else, whether the type is known or not.
      if (p.ahead(1) == TokenKind::identifier) return !(p.token_at(pos + 1).flags & kTokenLineStart) || p.is_type_name(pos);
      if (state == NameState::value || !p.is_type_name(pos)) return false;
      break;
    default: return false;
  }
  if (w.word == Word::type && (w.op & syntax::kWordGeneric) != 0) return true;
  const uint32_t after = p.scan_dims(pos + 1);
  if (after == Parser::kNoToken) return true;
  return p.kind_at(after) != TokenKind::l_paren && p.kind_at(after) != TokenKind::dot;
}

// GL_EXT_subgroup_uniform_control_flow and its like: `void main() [[subgroup_uniform_control_flow]] {`.
void parse_annotations(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  while (p.at_attribute() && p.ahead(1) == TokenKind::l_bracket) {
    const uint32_t before = p.pos();
    p.attribute_brackets();
    if (p.pos() == before) break;
  }
  p.finish(NodeKind::annotations, token, from);
}

bool no_special_initializer(Parser&) { return false; }

constexpr syntax::Grammar kGrammar = {
    .language = "GLSL",
    .has_casts = false,
    .has_templates = false,
    .has_logical_xor = true,
    .has_arrow = false,
    .classify = classify_word,
    .word_need = word_need,
    .word_extension = word_extension,
    .starts_declaration = starts_declaration,
    .parse_declaration = parse_declaration,
    .parse_qualifiers = parse_qualifiers,
    .parse_annotations = parse_annotations,
    .parse_special_initializer = no_special_initializer,
};

}  // namespace

const syntax::Grammar& grammar() { return kGrammar; }

}  // namespace carry::glsl
