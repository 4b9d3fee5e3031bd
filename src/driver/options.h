// Words that stand for options, shared by the command line, the C interface and #pragma.
#pragma once

#include <string_view>

#include "driver/request.h"

namespace carry::driver {

/// NAME, NAME=TEXT or NAME(PARAMETERS)=TEXT; with `undefine` a name alone.
[[nodiscard]] bool is_macro(std::string_view text, bool undefine);
/// What is missing is said by no source but by who asks: exit status 2, CARRY_WRONG_USE.
[[nodiscard]] bool is_wrong_use(const Emitter& diags);

/// "vert", "vertex", "vs" ...; Stage::none for other words.
[[nodiscard]] Stage find_stage(std::string_view word);
/// "dxc", "d3d", "std", "scalar": layouts of HLSL buffers. False for other words.
[[nodiscard]] bool set_layout(Request& request, std::string_view word);
/// "auto", "dxc", "separated".
[[nodiscard]] bool set_bindings(Request& request, std::string_view word);

}  // namespace carry::driver
