// How far the token at a place reaches. Tokens hold no length: scanner, renderers and SourceMap all ask here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carry {

enum CharClass : uint8_t {
  kCharIdentifierStart = 1,
  kCharDigit = 2,
  kCharBlank = 4,  // white space other than a newline
};
/// Bits of CharClass for each byte.
extern const uint8_t kCharClass[256];
[[nodiscard]] inline bool is_identifier_char(char c) {
  return (kCharClass[static_cast<unsigned char>(c)] & (kCharIdentifierStart | kCharDigit)) != 0;
}

/// Bytes of the backslash-newline at `p`, 0 when there is none.
[[nodiscard]] size_t splice_size(const char* p, const char* end);

/// Bytes of the token at `p` (p < end), not looking through line splices: it stops before one. Never 0.
/// A number takes its suffix letters, right or wrong. `1.xyz` is the number `1` before a swizzle. A string without its
/// closing quote reaches to the end of the line.
[[nodiscard]] size_t plain_extent(const char* p, const char* end);

/// The token at the start of `text` with its splices removed, and how many bytes of `text` it covers.
struct SplicedToken {
  std::string text;
  size_t raw_size = 0;
};
[[nodiscard]] SplicedToken spliced_token(std::string_view text);

/// Bytes of the token at the start of `text`, splices included; 0 for empty text.
[[nodiscard]] size_t token_extent(std::string_view text);

}  // namespace carry
