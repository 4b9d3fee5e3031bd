// Constant folding of pure operations on constants of any type, by the contract (ops/eval). Used by the checker for
// constant expressions and by the fold pass; both get the value that the executor computes.
#pragma once

#include <cstdint>
#include <span>

#include "ops/ops.h"
#include "types/types.h"

namespace carry {

/// Result of `op` on constant operands (with the operand rules of the IR: equal shapes, shift counts u32, steps of elem
/// and with as integer constants after the value), or none if the operation is not pure, not known here, or does not
/// fit its operands. For operations with several results: `result` says which; `result_type` is its type.
ConstId fold(TypeTable& types, Op op, TypeId result_type, std::span<const ConstId> operands, uint32_t payload = 0,
             uint32_t result = 0);

}  // namespace carry
