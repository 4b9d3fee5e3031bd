// `carry FILE...`: compile and write. Returns the exit status.
#pragma once

#include "command_line.h"

namespace carry::cli {

[[nodiscard]] int compile_command(const CommandLine& line);
[[nodiscard]] int reflect_command(const CommandLine& line);

}  // namespace carry::cli
