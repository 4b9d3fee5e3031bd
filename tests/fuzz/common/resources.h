// Small resources for everything that an entry uses.
#pragma once

#include "exec/executor.h"

namespace carry::fuzz {

void give_resources(const ir::Module& module, ir::FunctionId entry, exec::Resources& resources);

}  // namespace carry::fuzz
