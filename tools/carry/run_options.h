// The options of `carry run` that say how a program runs: groups, subgroup size, order, limits, checks, constants.
#pragma once

#include <string>

#include "command_line.h"
#include "run_state.h"

namespace carry::cli {

/// False with an error that names the option, what it got and what it takes.
[[nodiscard]] bool exec_options(const CommandLine& line, const RunState& state, exec::ExecOptions& options, std::string& error);

}  // namespace carry::cli
