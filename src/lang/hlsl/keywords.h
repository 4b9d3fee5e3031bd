// The words of HLSL (keywords.def; scalar, vector and matrix types by rule).
#pragma once

#include <string_view>

#include "syntax/grammar.h"

namespace carry::hlsl {

[[nodiscard]] syntax::WordInfo classify_word(std::string_view text, const LanguageMode& mode, const Names& names);
/// `float`, `min16uint3`, `int64_t4x4`: a scalar with an optional size N or NxM.
[[nodiscard]] bool is_numeric_type(std::string_view text);

}  // namespace carry::hlsl
