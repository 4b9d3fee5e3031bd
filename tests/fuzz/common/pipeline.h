// What several fuzzers do with a source: all of the compiler for all targets, and what must hold of its results.
#pragma once

#include <string>
#include <vector>

#include "driver/compilation.h"

namespace carry::fuzz {

/// A target of each family, and the level that the fuzzers compile at.
[[nodiscard]] driver::Request request(SourceLanguage language, std::string source, driver::Optimisation level);

void add_target(driver::Request& r, const char* name);

/// All messages, as the command line prints them.
[[nodiscard]] std::string messages(const driver::Output& output);

/// Ends the process with the words and the source when `holds` is false.
void must(bool holds, const char* what, const std::string& details, const std::string& source);

/// No fault of the compiler itself; an accepted source has output for each target, and SPIR-V is what SPIRV-Tools takes.
void check_output(const driver::Output& output, const std::string& source);

}  // namespace carry::fuzz
