// `carry explain CY3012` or the warning's name.
#pragma once

#include "command_line.h"

namespace carry::cli {

[[nodiscard]] int explain_command(const CommandLine& line);

}  // namespace carry::cli
