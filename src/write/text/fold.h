// Fold plan: which values a text writer prints at their only use, and which become a `let` of their own. Order of evaluation
// in the IR is position in the region; a value moves to its use only where nothing between the two could change it.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace carry::write::text {

struct FoldOptions {
  uint32_t max_depth = 10;
  /// True for an operand that the writer prints more than once: it is given a name.
  bool (*prints_twice)(const ir::Module&, const ir::Function&, const ir::Inst&, uint32_t operand) = nullptr;
};

class FoldPlan {
 public:
  FoldPlan(const ir::Module& module, const ir::Function& function, const FoldOptions& options);

  /// The value is printed at its use; the instruction itself prints nothing.
  [[nodiscard]] bool folded(ir::ValueId local) const { return folded_[local.index()]; }
  [[nodiscard]] uint32_t uses(ir::ValueId local) const { return uses_[local.index()]; }
  /// The instruction that defines a local; none for parameters.
  [[nodiscard]] ir::InstId definition(ir::ValueId local) const { return definitions_[local.index()]; }

 private:
  void count(ir::RegionId region);
  void plan(ir::RegionId region);
  void decide(const ir::Inst& inst, size_t position, const std::vector<uint32_t>& epochs);

  const ir::Module& module_;
  const ir::Function& function_;
  FoldOptions options_;
  std::vector<bool> folded_;
  std::vector<bool> named_;  // printed twice somewhere: needs a name
  std::vector<uint32_t> uses_;
  std::vector<ir::InstId> definitions_;
  std::vector<ir::InstId> user_;  // last user
  std::vector<ir::RegionId> user_region_;
  std::vector<size_t> user_position_;  // position in its region
  std::vector<size_t> emit_position_;  // by local: where its text appears, in its own region
  std::vector<uint32_t> depth_;        // by local: distance from the statement that holds its text
  std::vector<bool> conditional_;      // printed where it is not always computed
  ir::RegionId current_;
};

}  // namespace carry::write::text
