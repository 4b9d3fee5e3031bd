// Texels from the VALUE of --set: sizes, numbers, files. docs/run-values.md lists the forms.
#pragma once

#include <string>

#include "run_state.h"

namespace carry::cli {

/// False with an error that names the resource, what it takes and what was wrong.
[[nodiscard]] bool set_image(RunState& state, size_t need, const std::string& value, std::string& error);
/// The forms of VALUE that an image of this shape takes, for messages.
[[nodiscard]] std::string image_hint(const RunState& state, size_t need);

}  // namespace carry::cli
