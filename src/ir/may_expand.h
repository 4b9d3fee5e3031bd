// Whether an operation may have to be computed from others for a target: the planner's question, without operands.
#pragma once

#include "ops/expand.h"
#include "ops/ops.h"
#include "types/types.h"

namespace carry::ir {

/// There is an expansion of some shape of `op` on this scalar (emit_target_expansion emits it).
[[nodiscard]] bool may_expand(Op op, builtins::ExpandTarget target, ScalarKind scalar);

}  // namespace carry::ir
