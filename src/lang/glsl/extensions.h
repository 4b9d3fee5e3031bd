// GLSL extensions by name: what the preprocessor asks (policy.h, ExtensionHook), and what one brings along.
#pragma once

#include <span>

#include "preprocess/policy.h"
#include "preprocess/preprocess.h"
#include "syntax/language_mode.h"

namespace carry::glsl {

[[nodiscard]] bool is_known_extension(std::string_view name, LanguageVersion version);

/// The first of the names, separated by spaces, that this profile has; empty if none.
[[nodiscard]] std::string_view extension_for(std::string_view names, bool es);

/// The directives as changes of single extensions: `all` written out, with what each brings along.
[[nodiscard]] std::vector<ExtensionChange> extension_changes(std::span<const ExtensionDirective> directives,
                                                             LanguageVersion version, Names& names);

}  // namespace carry::glsl
