// Steps of compile.cpp that need more than a call: options of the stages from the request, and targets.
#pragma once

#include "driver/compilation.h"
#include "driver/stopwatch.h"
#include "pass/pass.h"

namespace carry::driver {

[[nodiscard]] PreprocessOptions preprocess_options(const Request& request);
/// Language version, extensions and stage from the options and what the preprocessor saw.
void fill_mode(Compilation& c, const Request& request);
/// Also reads the pragmas: unknown ones get their warning here.
[[nodiscard]] check::Options check_options(Compilation& c, const Request& request);
/// The words after `#pragma`, one space between two.
[[nodiscard]] std::string pragma_text(const PragmaDirective& d, const Compilation& c);
/// #pragma shader_stage(compute)
[[nodiscard]] Stage pragma_stage(const Compilation& c);
void read_pragmas(Compilation& c, check::Options& o);
/// Outputs cannot ask for what [WaveSize] does.
void warn_of_wave_sizes(Compilation& c);
/// Clone, passes, writer, for each target (and entry, when split). Fills `out.targets`; one that fails reports for itself.
void write_targets(const Request& request, Output& out, Stopwatch& watch);
/// The early plan and each target's, with the features that each pass is there for.
[[nodiscard]] std::string describe_plans(const Compilation& c, const Request& request);
[[nodiscard]] uint32_t level(Optimisation o);
/// Pass `print_after` adds the module to `text`; see pass::RunOptions.
struct IrPrinter {
  pass::PassId wanted = pass::PassId::count_;
  std::string title;
  const SourceMap* sources = nullptr;  // given: with places
  std::string text;
  static void after_pass(void* self, pass::PassId pass, const ir::Module& module);
  [[nodiscard]] pass::RunOptions options(bool verify);
};
/// Where resources went, for all outputs; before the modules of the targets are dropped.
void fill_reflection(const Request& request, Output& out);

}  // namespace carry::driver
