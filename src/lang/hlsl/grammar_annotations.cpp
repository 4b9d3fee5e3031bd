#include "lang/hlsl/grammar_annotations.h"

namespace carry::hlsl {

namespace {

using syntax::Parser;

bool all_digits(std::string_view text) {
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return !text.empty();
}

// Places of register_annotation's children.
enum Slot : uint32_t { kProfile, kRegister, kIndex, kSpace, kSlotCount };

Slot slot_of(const Parser& p) {
  const std::string_view text = p.text_at(p.pos());
  if (text.substr(0, 5) == "space" && all_digits(text.substr(5))) return kSpace;
  const bool letter = !text.empty() && (text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z';
  if (letter && (all_digits(text.substr(1)) || (text.size() == 1 && p.ahead(1) == TokenKind::l_bracket))) return kRegister;
  return kProfile;
}

void parse_register(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.advance();
  const uint32_t open = p.pos();
  uint32_t filled = 0;
  if (p.expect(TokenKind::l_paren)) {
    do {
      if (!p.at_name()) {
        p.error_expected("a register");
        break;
      }
      const Slot slot = slot_of(p);
      if (slot < filled) {
        p.error_expected(filled == kSlotCount ? "`)`" : "a register space");
        break;
      }
      for (; filled < slot; ++filled) p.empty();
      p.leaf(NodeKind::name, p.pos());
      p.advance();
      ++filled;
      if (slot == kRegister && p.at(TokenKind::l_bracket)) {
        const uint32_t bracket = p.pos();
        p.advance();
        p.expression();
        p.expect(TokenKind::r_bracket, bracket);
        ++filled;
      }
    } while (p.accept(TokenKind::comma));
    p.close_paren(open);
  }
  for (; filled < kSlotCount; ++filled) p.empty();
  p.finish(NodeKind::register_annotation, token, from);
}

void parse_packoffset(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  p.advance();
  const uint32_t open = p.pos();
  p.expect(TokenKind::l_paren);
  const auto name = [&](std::string_view what) {
    if (!p.at_name()) return p.error_node(what);
    p.leaf(NodeKind::name, p.pos());
    p.advance();
  };
  name("a constant register");
  if (p.accept(TokenKind::dot))
    name("a component");
  else
    p.empty();
  p.close_paren(open);
  p.finish(NodeKind::packoffset, token, from);
}

// < string UIName = "x"; > of effect files.
void skip_effect_annotation(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  while (!p.at(TokenKind::greater) && !p.at(TokenKind::l_brace) && !p.at(TokenKind::r_brace) && !p.at_end()) p.advance();
  p.expect(TokenKind::greater, token);
  p.finish(NodeKind::state_block, token, from);
}

void parse_one(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  if (p.at_text("register") && p.ahead(1) == TokenKind::l_paren) return parse_register(p);
  if (p.at_text("packoffset") && p.ahead(1) == TokenKind::l_paren) return parse_packoffset(p);
  if (p.at_name()) {
    p.advance();
    return p.leaf(NodeKind::semantic, token);
  }
  if (p.at(TokenKind::int_literal) || p.at(TokenKind::l_paren)) {
    p.conditional_expression();
    return p.finish(NodeKind::bitfield_width, token, from);
  }
  p.error_node("a semantic, `register` or `packoffset`");
}

}  // namespace

void parse_annotations(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  for (;;) {
    if (p.accept(TokenKind::colon))
      parse_one(p);
    else if (p.at(TokenKind::less))
      skip_effect_annotation(p);
    else
      break;
  }
  p.finish(NodeKind::annotations, token, from);
}

bool parse_state_block(Parser& p) {
  const uint32_t from = p.mark();
  const uint32_t token = p.pos();
  if (p.at(TokenKind::equal)) {
    if (p.ahead(1) != TokenKind::identifier || p.text_at(token + 1) != "sampler_state") return false;
    p.advance();
    p.advance();
  }
  if (!p.at(TokenKind::l_brace)) {
    if (p.pos() == token) return false;
    p.error_node("`{`");
    return true;
  }
  p.skip_balanced();
  p.finish(NodeKind::state_block, token, from);
  return true;
}

}  // namespace carry::hlsl
