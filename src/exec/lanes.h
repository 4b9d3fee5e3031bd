// Operations between the lanes of a subgroup or quad: only active lanes take part. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// Handler for Code with aux = LaneOp; nullptr when there is none.
[[nodiscard]] Handler lane_handler(Op op);

}  // namespace carry::exec
