// What WGSL leaves to some stages only (WGSL "Resource interface", "Built-in functions").
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::analysis {

struct StageFault {
  ir::LocId loc;
  std::string what;  // what is not there, and the way out
};

/// In: a module in text form. Out: one row a kind of fault of each entry.
[[nodiscard]] std::vector<StageFault> find_stage_faults(const ir::Module& module);

/// The first plain read or write of coherent or volatile memory, or none. In: a module in text form.
[[nodiscard]] ir::LocId find_coherent_access(const ir::Module& module);

}  // namespace carry::analysis
