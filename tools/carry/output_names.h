// Where results go (cli.md, -o): one file, a stem, or a folder.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "request_options.h"

namespace carry::cli {

struct OutputPlan {
  /// paths[file][target]; with --split-entries without entry and ending
  std::vector<std::vector<std::string>> paths;
  std::vector<std::string> depfiles;     // by file; empty: none
  std::vector<std::string> reflections;  // by file; empty: none
  std::string text;                      // what --preprocess and the other printing options print: a file, or "-"
  std::string error;                     // exit status 2
};

/// What a command makes, and where it goes. `prints`: text in place of targets (--preprocess ...), or besides (--time).
struct OutputKind {
  bool targets = true;
  bool prints = false;
};
[[nodiscard]] OutputPlan plan_outputs(const CommandLine& line, SharedOptions& shared, OutputKind kind);
/// Of an entry's own output: PATH.ENTRY.spv.
[[nodiscard]] std::string path_of_entry(const std::string& path, std::string_view entry, std::string_view ending);
[[nodiscard]] std::string output_ending(const CommandLine& line, const target::Target& target);

}  // namespace carry::cli
