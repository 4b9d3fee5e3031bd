// Where results go (cli.md, -o): one file, a stem, or a folder.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "request_options.h"

namespace carry::cli {

struct OutputPlan {
  /// paths[file][target]
  std::vector<std::vector<std::string>> paths;
  std::string error;  // exit status 2
};
/// Also chooses the targets by the endings of -o, or the default, when no --target was given.
[[nodiscard]] OutputPlan plan_outputs(const CommandLine& line, SharedOptions& shared);

}  // namespace carry::cli
