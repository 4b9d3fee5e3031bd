// Steps of compile.cpp that need more than a call: options of the stages from the request, and targets.
#pragma once

#include "driver/compilation.h"

namespace carry::driver {

[[nodiscard]] PreprocessOptions preprocess_options(const Request& request);
/// Language version, extensions and stage from the options and what the preprocessor saw.
void fill_mode(Compilation& c, const Request& request);
[[nodiscard]] check::Options check_options(Compilation& c, const Request& request);
/// Clone, passes, writer. False and diagnostics when this target cannot say the module.
[[nodiscard]] bool write_target(Compilation& c, const Request& request, TargetOutput& out, std::optional<Bug>& bug);

}  // namespace carry::driver
