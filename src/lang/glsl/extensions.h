// GLSL extensions by name: what the preprocessor asks (policy.h, ExtensionHook).
#pragma once

#include "preprocess/policy.h"

namespace carry::glsl {

[[nodiscard]] bool is_known_extension(std::string_view name, LanguageVersion version);

}  // namespace carry::glsl
