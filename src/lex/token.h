// Tokens: kind + place, 8 bytes. Text is read from the source; the gap between tokens is trivia.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "source/loc.h"

namespace carry {

/// Keywords of all languages share one list: tokens.def has a column that names the languages that have them.
enum class TokenKind : uint8_t {
  eof,
  identifier,
  int_literal,  // any integer spelling with suffix; value is read by the checker
  float_literal,
  string_literal,
  char_literal,
  invalid,
#define PUNCT(name, text) name,
#include "lex/tokens.def"
#undef PUNCT
  count_
};

enum TokenFlags : uint8_t {
  kTokenLineStart = 1,  // first on its line
  kTokenSpaceBefore = 2,
  kTokenNoExpand = 4,  // preprocessor: painted blue
};

/// After preprocessing, `loc` may lie in an expansion's range; SourceMap maps it to spelling and expansion.
/// Keywords are identifiers here: the parser looks the name up in its Language's keyword table.
struct Token {
  Loc loc;
  uint32_t name : 20;  // NameId of identifiers (interned), else 0
  uint32_t kind : 8;
  uint32_t flags : 4;
};
static_assert(sizeof(Token) == 8);

/// A finished token list; the last is always `eof`.
struct TokenBuffer {
  std::vector<Token> tokens;
};

/// Punctuation as it is spelled, or a description ("identifier", "end of file").
[[nodiscard]] std::string_view token_kind_text(TokenKind kind);

}  // namespace carry
