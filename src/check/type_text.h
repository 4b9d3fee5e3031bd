// Types as the source language spells them: for messages.
#pragma once

#include <string>

#include "base/names.h"
#include "syntax/language_mode.h"
#include "types/types.h"

namespace carry::check {

[[nodiscard]] std::string type_text(const TypeTable& types, const Names& names, TypeId type, const LanguageMode& mode);

}  // namespace carry::check
