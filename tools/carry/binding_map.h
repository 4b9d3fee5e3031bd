// --binding-map FILE: TOML, one table of resources by name: `albedo = { set = 1, binding = 3 }`.
#pragma once

#include <string>

#include "lower/lower.h"

namespace carry::cli {

[[nodiscard]] bool read_binding_map(const std::string& path, lower::BindingOptions& options, std::string& error);

}  // namespace carry::cli
