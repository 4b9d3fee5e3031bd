// WGSL writer: a module in text form (docs/text-form.md) to WGSL that both Tint and naga accept.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::write::wgsl {

struct Options {
  bool subgroups = false;  // the target allows `enable subgroups;`
  bool f16 = false;
};

/// The first instruction of a live function that has no spelling here: a gap in the target's row or in `expand_ops`, which the
/// driver reports in place of writing. None: the module can be written.
[[nodiscard]] ir::InstId first_unwritable(const ir::Module& module);

[[nodiscard]] std::string write(const ir::Module& module, const Options& options);
/// Names of the entries in what `write` makes, in the order of `function_order`.
[[nodiscard]] std::vector<std::string> entry_names(const ir::Module& module);

}  // namespace carry::write::wgsl
