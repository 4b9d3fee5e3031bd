// HLSL declarations, for the shared parser.
#pragma once

#include "syntax/grammar.h"

namespace carry::hlsl {

[[nodiscard]] const syntax::Grammar& grammar();

}  // namespace carry::hlsl
