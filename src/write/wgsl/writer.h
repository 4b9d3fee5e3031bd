// WGSL writer: a module in text form (docs/text-form.md) to WGSL that both Tint and naga accept.
#pragma once

#include <string>

#include "ir/module.h"

namespace carry::write::wgsl {

struct Options {
  bool subgroups = false;  // the target allows `enable subgroups;`
  bool f16 = false;
};

[[nodiscard]] std::string write(const ir::Module& module, const Options& options);

}  // namespace carry::write::wgsl
