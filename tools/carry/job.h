// One source file through the driver, with its messages rendered. Shared by the commands.
#pragma once

#include <string>

#include "command_line.h"
#include "diag/render.h"
#include "driver/compilation.h"
#include "request_options.h"

namespace carry::cli {

struct MessageOptions {
  DiagFormat format = DiagFormat::text;
  bool colour = false;
};
/// False with a message when the option's value is no form.
[[nodiscard]] bool message_options(const CommandLine& line, MessageOptions& options, std::string& error);
/// To standard error; makes one document of it for SARIF, also of no message.
void print_messages(const MessageOptions& options, const std::string& messages);

struct Job {
  std::string file;  // as given; "-" is standard input
  driver::Output output;
  MessageOptions form;
  std::string messages;  // rendered, for standard error
  int status = 0;        // 0, 1 or 3

  /// A message without a place, in the form that was asked for.
  template <int N, class... Args>
  void error(DiagConstant<N> row, Args&&... args) {
    Emitter diags;
    diags.emit(LocRange{}, row, std::forward<Args>(args)...);
    TextSink out;
    render_all(diags, SourceMap(), {form.format, form.colour}, out);
    messages += out.text();
    if (status == 0) status = 1;
  }
};

/// Fills in source, language and stage of `file` and compiles. `split` and the other parts of `shared.request` are taken as
/// they are.
[[nodiscard]] Job run_job(const CommandLine& line, const SharedOptions& shared, const MessageOptions& messages,
                          const std::string& file, driver::StopAfter stop);

}  // namespace carry::cli
