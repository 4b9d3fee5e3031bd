// The parser: tokens after preprocessing in, a syntax tree out. Recursive descent; one shared expression and statement
// parser, and per language a Grammar (lang/*/grammar.h) for declarations.
#pragma once

#include "base/names.h"
#include "diag/diag.h"
#include "lex/token.h"
#include "syntax/grammar.h"
#include "syntax/language_mode.h"
#include "syntax/tree.h"

namespace carry::syntax {

/// Always gives a tree with a translation_unit at its root. Syntax errors are emitted, leave `error` nodes, and parsing goes on.
/// Any token list that ends with `eof` is safe: nesting is bounded, time is linear but for bounded look-ahead.
[[nodiscard]] Tree parse(const TokenBuffer& tokens, const Names& names, const SourceMap& sources, const LanguageMode& mode,
                         const Grammar& grammar, Emitter& diags);

}  // namespace carry::syntax
