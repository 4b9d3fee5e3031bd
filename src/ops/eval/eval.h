// Exact value of pure operations on bit patterns: what constant folding and the executor compute, to the bit
// (semantics.md 3.2, 4.2, 5.5). Bits are zero-extended above the width; bool is 0 or 1. No undefined behaviour for any
// input.
#pragma once

#include <cstdint>
#include <span>

#include "ops/ops.h"
#include "types/types.h"

namespace carry::eval {

/// One component of a componentwise operation, select or conversion. `from`: scalar of the first operand (select: of
/// operand 1); `to`: scalar of the first result. `payload` as in the instruction (ArithmeticVariant); `.raw` gives the
/// total result. Shift counts, bit offsets and counts are 32-bit words. False if `op` is no such operation or the
/// scalars do not fit it.
bool eval_scalar(Op op, ScalarKind from, ScalarKind to, uint32_t payload, std::span<const uint64_t> operands,
                 std::span<uint64_t> results);

/// Operations on whole vectors of n components of scalar s: dot length distance normalize cross faceforward reflect
/// refract any all, dot4_*, pack_* and unpack_*. Operands and results are laid out one after the other. False if `op`
/// is none of them. Dot products add up from component 0, each product and sum rounded.
bool eval_vector(Op op, ScalarKind s, uint32_t n, std::span<const uint64_t> operands, std::span<uint64_t> results);

// The families, for callers that know which one they want.
bool eval_integer(Op op, ScalarKind s, uint32_t payload, std::span<const uint64_t> a, std::span<uint64_t> r);
bool eval_float(Op op, ScalarKind s, std::span<const uint64_t> a, std::span<uint64_t> r);
bool eval_conversion(Op op, ScalarKind from, ScalarKind to, uint64_t bits, uint64_t& result);

}  // namespace carry::eval
