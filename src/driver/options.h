// Words that stand for options, shared by the command line, the C interface and #pragma.
#pragma once

#include <string_view>

#include "driver/request.h"

namespace carry::driver {

/// "vert", "vertex", "vs" ...; Stage::none for other words.
[[nodiscard]] Stage find_stage(std::string_view word);
/// "dxc", "d3d", "std", "scalar": layouts of HLSL buffers. False for other words.
[[nodiscard]] bool set_layout(Request& request, std::string_view word);
/// "auto", "dxc", "separated".
[[nodiscard]] bool set_bindings(Request& request, std::string_view word);

}  // namespace carry::driver
