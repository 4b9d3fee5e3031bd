// Constants of the text form, read.
#include "base/number_text.h"
#include "ir/parser.h"
#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr uint32_t kMaxConstantDepth = 60;
constexpr uint32_t kMaxParts = 1u << 20;

/// Digits of `text` in base 10 or, with "0x", 16.
bool parse_integer(std::string_view text, uint64_t& out) {
  const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  if (hex) text.remove_prefix(2);
  if (text.empty()) return false;
  const uint64_t base = hex ? 16 : 10;
  out = 0;
  for (char c : text) {
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (hex && c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return false;
    }
    if (out > (~uint64_t{0} - digit) / base) return false;
    out = out * base + digit;
  }
  return true;
}

bool parse_float(std::string_view text, ScalarKind s, uint64_t& bits) {
  if (s == ScalarKind::f64) return parse_f64(text, bits);
  if (s == ScalarKind::f32) {
    uint32_t b = 0;
    const bool ok = parse_f32(text, b);
    bits = b;
    return ok;
  }
  uint16_t b = 0;
  const bool ok = parse_f16(text, b);
  bits = b;
  return ok;
}

}  // namespace

bool Parser::number(ConstId& out) {
  std::string_view text = token_.text;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  ScalarKind s = ScalarKind::none;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    if (!scalar_of_word(text.substr(colon + 1), s)) return fail("unknown type of the number");
    text = text.substr(0, colon);
  } else if (!text.empty() && text.back() == 'u') {
    s = ScalarKind::u32;
    text.remove_suffix(1);
  }
  const bool point = !hex && text.find_first_of(".e") != std::string_view::npos;
  if (s == ScalarKind::none) s = point ? ScalarKind::f32 : ScalarKind::i32;
  if (s == ScalarKind::bool_) return fail("write `true` or `false`");
  uint64_t bits = 0;
  if (is_float(s) && !hex) {
    if (!parse_float(text, s, bits)) return fail("not a number");
    if (negative) bits |= uint64_t{1} << (scalar_bits(s) - 1);
  } else {
    if (point || !parse_integer(text, bits)) return fail("not a number");
    const uint32_t width = scalar_bits(s);
    const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const uint64_t limit = hex || !is_signed_int(s) ? all : (all >> 1) + (negative ? 1 : 0);
    if (bits > limit || (negative && !is_signed_int(s))) return fail("the number does not fit its type");
    if (negative) bits = (0 - bits) & all;
  }
  out = m_.types().constant_bits(m_.types().scalar(s), bits);
  advance();
  return true;
}

bool Parser::composite(TypeId type, ConstId& out) {
  const TypeKind kind = m_.types().kind(type);
  const bool fits =
      kind == TypeKind::vector || kind == TypeKind::matrix || kind == TypeKind::array || kind == TypeKind::struct_;
  if (!fits) return fail("a constant of this type has no parts");
  if (!expect('(')) return false;
  std::vector<ConstId> parts;
  while (!is_punct(')')) {
    if (parts.size() >= kMaxParts) return fail("the constant has too many parts");
    ValueId part;
    const TextTok at = token_;
    if (!constant(part)) return false;
    if (m_.types().constant(part.const_id()).type != m_.types().part(type, static_cast<uint32_t>(parts.size()))) {
      return fail_at(at, "the part does not have the type of its place");
    }
    parts.push_back(part.const_id());
    if (!accept(',')) break;
  }
  if (parts.size() != m_.types().part_count(type)) return fail("the number of parts does not fit the type");
  out = m_.types().constant_composite(type, parts);
  return expect(')');
}

bool Parser::typed_constant(ConstId& out) {
  if (is_word("zero")) {
    advance();
    TypeId t;
    if (!expect('<') || !type(t)) return false;
    out = m_.types().zero(t);
    return expect('>');
  }
  TypeId t;
  return type(t) && composite(t, out);
}

bool Parser::constant(ValueId& out) {
  ConstId id;
  if (token_.kind == TextToken::number) {
    if (!number(id)) return false;
  } else if (is_word("true") || is_word("false")) {
    id = m_.types().constant_bool(is_word("true"));
    advance();
  } else {
    ++depth_;
    const bool ok = depth_ <= kMaxConstantDepth ? typed_constant(id) : fail("constants are nested too deeply");
    --depth_;
    if (!ok) return false;
  }
  out = ValueId::constant(id);
  return true;
}

}  // namespace carry::ir
