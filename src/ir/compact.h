// Drops what rewriting left behind: instructions, regions, operand lists that no live function holds. Ids change.
#pragma once

#include "ir/module.h"

namespace carry::ir {

void compact(Module& module);

}  // namespace carry::ir
