// What module-level values are while nothing is specialised.
#pragma once

#include <optional>

#include "ir/module.h"

namespace carry::ir {

/// Bits of a scalar constant, override or module-level result with every override at its default; none for what is no
/// scalar or is computed by an operation that has no constant value here.
[[nodiscard]] std::optional<uint64_t> default_bits(const Module& module, ValueId value);

}  // namespace carry::ir
