// What a number token says, as raw facts: which of it is allowed in a language and version is the checker's business.
#pragma once

#include <cstdint>
#include <string_view>

namespace carry {

enum class LiteralBase : uint8_t { decimal, octal, hexadecimal, binary };

/// Letters of the suffix, in any case. `bad_suffix` when they are not one of the forms that any language has
/// (u l ll s, u with l, ll or s in either order; two l in a row have the same case).
struct IntLiteral {
  uint64_t value = 0;  // low 64 bits
  LiteralBase base = LiteralBase::decimal;
  bool overflow = false;  // needs more than 64 bits
  bool suffix_u = false;
  bool suffix_l = false;  // one l
  bool suffix_ll = false;
  bool suffix_s = false;
  bool unsigned_first = true;    // u before the width letter (`lu` is HLSL only)
  bool bad_octal_digit = false;  // 8 or 9 after a leading 0: value is what the octal digits before it give
  bool bad_suffix = false;
  bool no_digits = false;   // `0x` alone
  std::string_view suffix;  // as written, a view into the text
  [[nodiscard]] bool malformed() const { return bad_octal_digit || bad_suffix || no_digits; }
};

/// `text` is an int_literal token.
[[nodiscard]] IntLiteral read_int_literal(std::string_view text);

enum class FloatSuffix : uint8_t { none, f, lf, l, h, hf, bad };

struct FloatLiteral {
  std::string_view digits;  // without the suffix: for parse_f32, parse_f64, parse_f16
  std::string_view suffix;  // as written
  FloatSuffix kind = FloatSuffix::none;
  bool suffix_mixed_case = false;  // `lF`, `Lf`: GLSL has `lf` and `LF` only
  bool hexadecimal = false;
  bool infinity = false;               // HLSL's 1.#INF: `digits` holds no number
  bool has_point_or_exponent = false;  // false: `1f`, which no GLSL version has
  bool malformed = false;              // bad suffix, or digits that are no number
};

/// `text` is a float_literal token.
[[nodiscard]] FloatLiteral read_float_literal(std::string_view text);

struct CharLiteral {
  int8_t value = 0;             // a `char` as C++ compilers of HLSL have it: signed
  const char* fault = nullptr;  // what is wrong with it, words after "the literal"
};

/// `text` is a char_literal token, quotes included: one character of ASCII, or one escape of C.
[[nodiscard]] CharLiteral read_char_literal(std::string_view text);

}  // namespace carry
