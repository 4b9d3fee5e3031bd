// Images: texel access, sampling, format conversion. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// The texel that a `texel` pointer names; nullptr out of bounds.
[[nodiscard]] uint32_t* texel_word(Machine& m, const Address& address, uint32_t lane);

}  // namespace carry::exec
