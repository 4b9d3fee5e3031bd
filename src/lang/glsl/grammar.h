// GLSL and ESSL declarations, for the shared parser.
#pragma once

#include "syntax/grammar.h"

namespace carry::glsl {

[[nodiscard]] const syntax::Grammar& grammar();

}  // namespace carry::glsl
