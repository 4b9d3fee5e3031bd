// What passes need that compute operations between lanes from others: who a lane is, which lanes are active.
#pragma once

#include "ir/builder.h"

namespace carry::pass {

/// Number of this lane in its subgroup, and how many lanes that has: loads of the built-in inputs, which are added if need be.
[[nodiscard]] ir::ValueId lane_number(ir::Builder& b);
[[nodiscard]] ir::ValueId lane_count(ir::Builder& b);
/// Ballot of the active lanes.
[[nodiscard]] ir::ValueId active_lanes(ir::Builder& b);
/// Bit `index` (below 128) of a ballot.
[[nodiscard]] ir::ValueId bit_of(ir::Builder& b, ir::ValueId ballot, ir::ValueId index);

}  // namespace carry::pass
