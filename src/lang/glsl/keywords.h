// The words of GLSL and ESSL by version and extension (keywords.def).
#pragma once

#include <string>
#include <string_view>

#include "syntax/grammar.h"

namespace carry::glsl {

/// What `text` is in this version with these extensions: keyword, reserved word, or identifier.
[[nodiscard]] syntax::WordInfo classify_word(std::string_view text, const LanguageMode& mode, const Names& names);
/// What would make an identifier a keyword, or nothing.
[[nodiscard]] Need word_need(std::string_view text, const LanguageMode& mode);
/// The extension by which the word is a keyword here; none where the version has it.
[[nodiscard]] NameId word_extension(std::string_view text, const LanguageMode& mode, const Names& names);

}  // namespace carry::glsl
