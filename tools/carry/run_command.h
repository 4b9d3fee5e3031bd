// `carry run FILE`: executes a compute entry on the CPU. Returns the exit status.
#pragma once

#include "command_line.h"

namespace carry::cli {

[[nodiscard]] int run_command(const CommandLine& line);

}  // namespace carry::cli
