// carry completion bash|zsh|fish: a script for the shell, from the table of options.
#pragma once

#include "command_line.h"

namespace carry::cli {

[[nodiscard]] int completion_command(const CommandLine& line);

}  // namespace carry::cli
