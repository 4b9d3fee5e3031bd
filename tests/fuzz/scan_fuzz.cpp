// The scanner and the readers of literals on any bytes: tokens lie in order, texts agree with their kinds.
#include <cstdlib>

#include "lex/literals.h"
#include "lex/scan.h"
#include "source/token_extent.h"

using namespace carry;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SourceMap sources;
  Names names;
  Emitter diags;
  const SourceId file = sources.add_file("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  const TokenBuffer buffer = scan(sources, file, names, diags);
  uint32_t last = 0;
  for (const Token& token : buffer.tokens) {
    const Loc place = sources.file_loc(token.loc);
    if (place.offset < last) std::abort();
    last = place.offset;
    const auto kind = static_cast<TokenKind>(uint32_t{token.kind});
    const std::string_view text = sources.token_text(token.loc);
    if (kind == TokenKind::eof) continue;
    if (text.empty()) std::abort();
    if (kind == TokenKind::int_literal) static_cast<void>(read_int_literal(text));
    if (kind == TokenKind::float_literal) static_cast<void>(read_float_literal(text));
    if (kind == TokenKind::invalid) report_invalid(sources, token, diags);
    static_cast<void>(sources.place(token.loc));
  }
  return 0;
}
