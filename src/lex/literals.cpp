#include "lex/literals.h"

#include "base/number_text.h"

namespace carry {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return static_cast<char>(c | 0x20); }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : 99;
}

void read_suffix(std::string_view suffix, IntLiteral& literal) {
  literal.suffix = suffix;
  bool width_seen = false;
  for (size_t i = 0; i < suffix.size(); ++i) {
    const char c = lower(suffix[i]);
    if (c == 'u' && !literal.suffix_u) {
      literal.suffix_u = true;
      literal.unsigned_first = !width_seen;
    } else if (c == 's' && !width_seen) {
      literal.suffix_s = width_seen = true;
    } else if (c == 'l' && !width_seen) {
      width_seen = true;
      if (i + 1 < suffix.size() && suffix[i + 1] == suffix[i]) {
        literal.suffix_ll = true;
        ++i;
      } else {
        literal.suffix_l = true;
      }
    } else {
      literal.bad_suffix = true;
      return;
    }
  }
}

FloatSuffix suffix_kind(std::string_view suffix, FloatLiteral& literal) {
  if (suffix.empty()) return FloatSuffix::none;
  if (suffix.size() == 1) {
    switch (lower(suffix[0])) {
      case 'f': return FloatSuffix::f;
      case 'l': return FloatSuffix::l;
      case 'h': return FloatSuffix::h;
      default: return FloatSuffix::bad;
    }
  }
  if (suffix.size() == 2 && lower(suffix[1]) == 'f') {
    literal.suffix_mixed_case = (suffix[0] ^ suffix[1]) & 0x20;
    if (lower(suffix[0]) == 'l') return FloatSuffix::lf;
    if (lower(suffix[0]) == 'h') return FloatSuffix::hf;
  }
  return FloatSuffix::bad;
}

}  // namespace

IntLiteral read_int_literal(std::string_view text) {
  IntLiteral literal;
  size_t i = 0;
  unsigned radix = 10;
  if (text.size() > 1 && text[0] == '0' && lower(text[1]) == 'x') {
    literal.base = LiteralBase::hexadecimal;
    radix = 16;
    i = 2;
    literal.no_digits = i == text.size() || digit_value(text[i]) > 15;
  } else if (text.size() > 1 && text[0] == '0' && lower(text[1]) == 'b') {
    literal.base = LiteralBase::binary;
    radix = 2;
    i = 2;
    literal.no_digits = i == text.size() || digit_value(text[i]) > 1;
  } else if (!text.empty() && text[0] == '0') {
    literal.base = LiteralBase::octal;
    radix = 8;
  }
  const unsigned accepted = radix == 8 ? 10 : radix;
  for (; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned>(digit_value(text[i]));
    if (digit >= accepted) break;
    if (digit >= radix) literal.bad_octal_digit = true;
    if (literal.bad_octal_digit) continue;
    if (literal.value > (~uint64_t{0} - digit) / radix) literal.overflow = true;
    literal.value = literal.value * radix + digit;
  }
  read_suffix(text.substr(i), literal);
  return literal;
}

FloatLiteral read_float_literal(std::string_view text) {
  FloatLiteral literal;
  size_t i = 0;
  literal.hexadecimal = text.size() > 1 && lower(text[1]) == 'x';
  const size_t special = text.find("#INF");
  if (special != std::string_view::npos) {
    literal.infinity = literal.has_point_or_exponent = true;
    i = special + 4;
  } else {
    const char exponent = literal.hexadecimal ? 'p' : 'e';
    if (literal.hexadecimal) i = 2;
    while (i < text.size() && (text[i] == '.' || digit_value(text[i]) < (literal.hexadecimal ? 16 : 10))) {
      literal.has_point_or_exponent |= text[i] == '.';
      ++i;
    }
    if (i + 1 < text.size() && lower(text[i]) == exponent) {
      size_t j = i + 1;
      if (text[j] == '+' || text[j] == '-') ++j;
      if (j < text.size() && is_digit(text[j])) {
        literal.has_point_or_exponent = true;
        while (j < text.size() && is_digit(text[j])) ++j;
        i = j;
      }
    }
  }
  literal.digits = text.substr(0, i);
  literal.suffix = text.substr(i);
  literal.kind = suffix_kind(literal.suffix, literal);
  uint64_t bits = 0;
  literal.malformed = literal.kind == FloatSuffix::bad || (!literal.infinity && !parse_f64(literal.digits, bits));
  return literal;
}

namespace {

/// The number that an escape ends with: `text` from behind the `\\` or `\\x` to the end.
CharLiteral escaped_number(std::string_view text, uint32_t base) {
  uint32_t value = 0;
  for (char c : text) {
    const auto digit = static_cast<uint32_t>(digit_value(c));
    if (digit >= base) return {0, "has more than one character, or an escape that is no number"};
    value = value * base + digit;
    if (value > 0xff) return {0, "has an escape above 255"};
  }
  return {static_cast<int8_t>(value), nullptr};
}

}  // namespace

CharLiteral read_char_literal(std::string_view text) {
  constexpr std::string_view kEscapes = "abfnrtv\\'\"?", kMeanings = "\a\b\f\n\r\t\v\\'\"?";
  if (text.size() < 3) return {0, "has no character"};
  text = text.substr(1, text.size() - 2);
  if (static_cast<unsigned char>(text[0]) > 0x7f) return {0, "is not in ASCII"};
  if (text[0] != '\\') return {static_cast<int8_t>(text[0]), text.size() == 1 ? nullptr : "has more than one character"};
  if (text.size() == 1) return {0, "has no character after `\\`"};
  if (text[1] == 'x') return text.size() > 2 ? escaped_number(text.substr(2), 16) : CharLiteral{0, "has no digits after `\\x`"};
  if (digit_value(text[1]) < 8)
    return text.size() > 4 ? CharLiteral{0, "has more than one character"} : escaped_number(text.substr(1), 8);
  const size_t at = kEscapes.find(text[1]);
  if (at == std::string_view::npos) return {0, "has an unknown escape"};
  return {static_cast<int8_t>(kMeanings[at]), text.size() == 2 ? nullptr : "has more than one character"};
}

}  // namespace carry
