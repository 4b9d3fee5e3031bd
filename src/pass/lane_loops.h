// What passes need that compute operations between lanes from others: who a lane is, which lanes are active, a loop over lanes.
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

/// A loop that all active lanes go round `count` times together, so that operations between lanes in it see every one of them.
class LaneLoop {
 public:
  LaneLoop(ir::Builder& b, ir::ValueId count);
  /// Number of the round, from 0.
  [[nodiscard]] ir::ValueId round() const { return round_; }
  /// Closes the loop; what follows stands behind it.
  void close();

 private:
  ir::Builder& b_;
  ir::ValueId counter_, round_;
  ir::RegionId body_;
};

}  // namespace carry::pass
