// One source file through the driver, with its messages rendered. Shared by the commands.
#pragma once

#include <string>

#include "command_line.h"
#include "diag/render.h"
#include "driver/compilation.h"
#include "request_options.h"

namespace carry::cli {

struct Job {
  std::string file;  // as given; "-" is standard input
  driver::Output output;
  std::string messages;  // rendered, for standard error
  int status = 0;        // 0, 1 or 3
};

struct MessageOptions {
  DiagFormat format = DiagFormat::text;
  bool colour = false;
};
/// False with a message when the option's value is no form.
[[nodiscard]] bool message_options(const CommandLine& line, MessageOptions& options, std::string& error);

/// Fills in source, language and stage of `file` and compiles.
[[nodiscard]] Job run_job(const CommandLine& line, const SharedOptions& shared, const MessageOptions& messages,
                          const std::string& file, driver::StopAfter stop);

}  // namespace carry::cli
