// Buffers as arrays of words, for layouts and types that the target cannot declare.
#pragma once

#include <span>

#include "pass/pass.h"

namespace carry::pass {

/// Each of the laid-out globals becomes `array<u32>` (uniform and push: an array of vec4<u32>), its accesses loads, stores,
/// shifts and masks of words. Stores of less than a word become two atomics.
void buffers_to_words(PassContext& context, std::span<const ir::GlobalId> buffers);

}  // namespace carry::pass
