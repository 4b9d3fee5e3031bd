// Operations on matrices of the IR (columns one after the other), one rounding per product and sum, from the first term
// on.
#pragma once

#include <cstdint>
#include <span>

#include "ops/ops.h"
#include "types/types.h"

namespace carry::eval {

/// mat_mul mat_vec vec_mat mat_scale determinant inverse outer_product, and fadd fsub fmul fdiv fneg on matrices by
/// component. `a`, `b`: types of the operands (b unused for one operand); `in`: both flattened, one after the other.
/// False if op is none of them or the shapes do not fit. A singular matrix has an inverse of infinities or NaN.
bool eval_matrix(Op op, const Type& a, const Type& b, std::span<const uint64_t> in, std::span<uint64_t> out);

}  // namespace carry::eval
