// Barriers in control flow that WGSL's uniformity analysis cannot prove uniform (WGSL "Uniformity"); for Metal likewise.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::analysis {

/// A barrier, and why it may not be reached by all invocations together.
struct DivergentBarrier {
  ir::InstId barrier;
  ir::InstId call;       // none, or the call that leads to it
  ir::InstId condition;  // the nearest `if`, `switch`, `next_if` or call that decides; none: not known
  ir::InstId source;     // where the value that differs comes from; none: not known
  std::string what;      // that value in words
};

/// In: a module in text form (docs/text-form.md) as a text writer prints it: no region values. Out: one row a barrier, in the order
/// of the functions.
[[nodiscard]] std::vector<DivergentBarrier> find_divergent_barriers(const ir::Module& module);

}  // namespace carry::analysis
