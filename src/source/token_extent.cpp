#include "source/token_extent.h"

#include <vector>

namespace carry {

namespace {

struct ClassTable {
  uint8_t bits[256];
};

constexpr ClassTable make_classes() {
  ClassTable table{};
  for (int c = 'a'; c <= 'z'; ++c) table.bits[c] = kCharIdentifierStart;
  for (int c = 'A'; c <= 'Z'; ++c) table.bits[c] = kCharIdentifierStart;
  table.bits[static_cast<int>('_')] = kCharIdentifierStart;
  for (int c = '0'; c <= '9'; ++c) table.bits[c] = kCharDigit;
  for (char c : {' ', '\t', '\r', '\v', '\f'}) table.bits[static_cast<int>(c)] = kCharBlank;
  return table;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

const char* skip_digits(const char* p, const char* end) {
  while (p < end && is_digit(*p)) ++p;
  return p;
}

const char* skip_hex_digits(const char* p, const char* end) {
  while (p < end && is_hex_digit(*p)) ++p;
  return p;
}

const char* skip_word(const char* p, const char* end) {
  while (p < end && is_identifier_char(*p)) ++p;
  return p;
}

/// Past an exponent with at least one digit at `p`, or `p` itself.
const char* skip_exponent(const char* p, const char* end, char lower) {
  if (p == end || (*p | 0x20) != lower) return p;
  const char* digits = p + 1;
  if (digits < end && (*digits == '+' || *digits == '-')) ++digits;
  const char* past = skip_digits(digits, end);
  return past == digits ? p : past;
}

/// Whether the word in [p, past) may follow `1.`: a suffix, not a swizzle.
bool is_float_suffix(const char* p, const char* past) {
  if (past - p > 2) return false;
  for (; p < past; ++p) {
    const char c = static_cast<char>(*p | 0x20);
    if (c != 'f' && c != 'l' && c != 'h') return false;
  }
  return true;
}

size_t number_extent(const char* begin, const char* end) {
  const char* p = begin;
  if (*p == '0' && p + 1 < end && (p[1] | 0x20) == 'x') {
    p = skip_hex_digits(p + 2, end);
    const char* fraction = p < end && *p == '.' ? skip_hex_digits(p + 1, end) : p;
    const char* exponent = skip_exponent(fraction, end, 'p');
    if (exponent != fraction) p = exponent;
    return static_cast<size_t>(skip_word(p, end) - begin);
  }
  p = skip_digits(p, end);
  if (p < end && *p == '.') {
    const char* after = p + 1;
    // The HLSL spelling of infinity, 1.#INF.
    if (end - after >= 4 && std::string_view(after, 4) == "#INF") {
      return static_cast<size_t>(skip_word(after + 4, end) - begin);
    }
    if (after < end && is_digit(*after)) {
      p = skip_digits(after, end);
    } else {
      const char* word = skip_word(after, end);
      const bool takes_dot = skip_exponent(after, end, 'e') != after || is_float_suffix(after, word);
      if (!takes_dot) return static_cast<size_t>(p - begin);
      p = after;
    }
  }
  p = skip_exponent(p, end, 'e');
  return static_cast<size_t>(skip_word(p, end) - begin);
}

size_t quoted_extent(const char* begin, const char* end) {
  const char quote = *begin;
  const char* p = begin + 1;
  while (p < end && *p != '\n') {
    if (*p == quote) return static_cast<size_t>(p + 1 - begin);
    if (*p == '\\') {
      if (splice_size(p, end) != 0) break;
      if (p + 1 < end && p[1] != '\n') ++p;
    }
    ++p;
  }
  if (quote == '\'' && splice_size(p, end) == 0) return 1;  // an apostrophe, not a character literal
  if (p > begin + 1 && p[-1] == '\r') --p;
  return static_cast<size_t>(p - begin);
}

size_t punctuation_extent(const char* p, const char* end) {
  const auto at = [&](size_t i) { return p + i < end ? p[i] : '\0'; };
  const char c = *p;
  const char n = at(1);
  switch (c) {
    case '.': return n == '.' && at(2) == '.' ? 3 : 1;
    case ':': return n == ':' ? 2 : 1;
    case '#': return n == '#' ? 2 : 1;
    case '+':
    case '&':
    case '|': return n == c || n == '=' ? 2 : 1;
    case '-': return n == c || n == '=' || n == '>' ? 2 : 1;
    case '*':
    case '/':
    case '%':
    case '=':
    case '!': return n == '=' ? 2 : 1;
    case '^': return n == c || n == '=' ? 2 : 1;
    case '<':
    case '>':
      if (n == c) return at(2) == '=' ? 3 : 2;
      return n == '=' ? 2 : 1;
    default: return 1;
  }
}

}  // namespace

static constexpr ClassTable kClasses = make_classes();
const uint8_t kCharClass[256] = {
#define CARRY_ROW(n)                                                                                                \
  kClasses.bits[n], kClasses.bits[(n) + 1], kClasses.bits[(n) + 2], kClasses.bits[(n) + 3], kClasses.bits[(n) + 4], \
      kClasses.bits[(n) + 5], kClasses.bits[(n) + 6], kClasses.bits[(n) + 7]
    CARRY_ROW(0),   CARRY_ROW(8),   CARRY_ROW(16),  CARRY_ROW(24),  CARRY_ROW(32),  CARRY_ROW(40),  CARRY_ROW(48),
    CARRY_ROW(56),  CARRY_ROW(64),  CARRY_ROW(72),  CARRY_ROW(80),  CARRY_ROW(88),  CARRY_ROW(96),  CARRY_ROW(104),
    CARRY_ROW(112), CARRY_ROW(120), CARRY_ROW(128), CARRY_ROW(136), CARRY_ROW(144), CARRY_ROW(152), CARRY_ROW(160),
    CARRY_ROW(168), CARRY_ROW(176), CARRY_ROW(184), CARRY_ROW(192), CARRY_ROW(200), CARRY_ROW(208), CARRY_ROW(216),
    CARRY_ROW(224), CARRY_ROW(232), CARRY_ROW(240), CARRY_ROW(248)};
#undef CARRY_ROW

size_t splice_size(const char* p, const char* end) {
  if (p == end || *p != '\\') return 0;
  if (end - p >= 2 && p[1] == '\n') return 2;
  if (end - p >= 3 && p[1] == '\r' && p[2] == '\n') return 3;
  return 0;
}

size_t plain_extent(const char* p, const char* end) {
  const uint8_t bits = kCharClass[static_cast<unsigned char>(*p)];
  if (bits & kCharIdentifierStart) return static_cast<size_t>(skip_word(p, end) - p);
  if (bits & kCharDigit) return number_extent(p, end);
  if (*p == '.' && p + 1 < end && is_digit(p[1])) return number_extent(p, end);
  if (*p == '"' || *p == '\'') return quoted_extent(p, end);
  if (static_cast<unsigned char>(*p) >= 0x80) {
    const char* q = p;
    while (q < end && static_cast<unsigned char>(*q) >= 0x80) ++q;
    return static_cast<size_t>(q - p);
  }
  return punctuation_extent(p, end);
}

SplicedToken spliced_token(std::string_view text) {
  SplicedToken result;
  std::vector<size_t> raw_ends;  // per clean byte: where it ends in `text`
  const char* end = text.data() + text.size();
  const char* p = text.data();
  size_t wanted = 64;
  while (true) {
    while (p < end && result.text.size() < wanted) {
      if (const size_t splice = splice_size(p, end)) {
        p += splice;
        continue;
      }
      result.text.push_back(*p++);
      raw_ends.push_back(static_cast<size_t>(p - text.data()));
    }
    if (result.text.empty()) return result;
    const size_t size = plain_extent(result.text.data(), result.text.data() + result.text.size());
    // A few bytes more than the token must be seen, for the longest match.
    if (p == end || size + 8 < result.text.size()) {
      result.text.resize(size);
      result.raw_size = raw_ends[size - 1];
      return result;
    }
    wanted *= 2;
  }
}

size_t token_extent(std::string_view text) {
  if (text.empty()) return 0;
  const char* end = text.data() + text.size();
  const size_t size = plain_extent(text.data(), end);
  if (splice_size(text.data() + size, end) == 0) return size;
  return spliced_token(text).raw_size;
}

}  // namespace carry
