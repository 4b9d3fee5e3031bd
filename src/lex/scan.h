// The scanner: one C-family token language for all source languages.
#pragma once

#include "base/names.h"
#include "diag/diag.h"
#include "lex/token.h"
#include "source/source_map.h"

namespace carry {

/// Tokens of the whole file. Comments and line splices are gone; `kTokenLineStart` tells where lines begin (a newline in
/// a comment begins none). Bytes that no token starts with, and quotes without their end, become `invalid` tokens
/// without a message: the preprocessor reports those that it does not skip (report_invalid).
/// Reports unterminated comments, NUL bytes, text in UTF-16. Identifiers past kMaxNames get name 0 and an error.
[[nodiscard]] TokenBuffer scan(SourceMap& sources, SourceId file, Names& names, Emitter& diags);

/// Identifiers in one compilation: what fits Token::name.
inline constexpr uint32_t kMaxNames = (1u << 20) - 1;

/// Says what is wrong with an `invalid` token.
void report_invalid(const SourceMap& sources, Token token, Emitter& diags);

/// Scans `text` that must be one token (a pasted one); its loc stays none. `invalid` when it is not exactly one.
[[nodiscard]] Token scan_one(std::string_view text, Names& names);

}  // namespace carry
