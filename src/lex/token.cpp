#include "lex/token.h"

namespace carry {

std::string_view token_kind_text(TokenKind kind) {
  switch (kind) {
    case TokenKind::eof: return "end of file";
    case TokenKind::identifier: return "identifier";
    case TokenKind::int_literal: return "integer literal";
    case TokenKind::float_literal: return "floating-point literal";
    case TokenKind::string_literal: return "string";
    case TokenKind::char_literal: return "character literal";
    case TokenKind::invalid: return "invalid token";
#define PUNCT(name, text) \
  case TokenKind::name:   \
    return text;
#include "lex/tokens.def"
#undef PUNCT
    case TokenKind::count_: break;
  }
  return "token";
}

}  // namespace carry
