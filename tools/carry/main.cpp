// carry: the command line program. The contract: options.def lists every option, exit status 0 done, 1 refused, 2 the command
// line is wrong, 3 a fault of Carry itself.
#include <string>
#include <vector>

#include "command_line.h"
#include "compile_command.h"
#include "completion_command.h"
#include "explain_command.h"
#include "files.h"
#include "list_targets.h"
#include "run_command.h"
#include "target/target.h"
#include "version.h"

namespace carry::cli {
namespace {

int fail(const std::string& message) {
  print_error("carry: error: " + message + "\n");
  return 2;
}

int version_command(const CommandLine& line) {
  if (line.has(Opt::json)) {
    print_out("{\"name\": \"carry\", \"version\": \"" + std::string(kVersion) +
              "\", \"targets\": [\"spirv\", \"msl\", \"wgsl\"], \"languages\": [\"glsl\", \"hlsl\"]}\n");
  } else {
    print_out("carry " + std::string(kVersion) + "\n");
  }
  return 0;
}

int command(std::vector<std::string> args) {
  std::string word;
  if (!args.empty()) {
    for (const char* known : {"run", "reflect", "explain", "help", "doc", "completion", "compile", "lsp", "test", "build"}) {
      if (args[0] == known) word = known;
    }
  }
  if (!word.empty()) args.erase(args.begin());
  if (word == "doc" || word == "lsp" || word == "test" || word == "build") return fail("not supported yet: carry " + word);
  const CommandLine line = parse_command_line(std::move(args));
  if (!line.error.empty()) return fail(line.error);
  if (word == "help" || line.has(Opt::help)) {
    const std::string topic = word != "help" ? word : line.files.empty() ? "" : line.files[0];
    const std::string text = help_text(topic);
    if (text.empty()) return fail("there is no command `" + line.files[0] + "`; see carry help");
    print_out(text);
    return 0;
  }
  if (line.has(Opt::version)) return version_command(line);
  if (line.has(Opt::list_targets)) {
    print_out(list_targets_text());
    return 0;
  }
  if (const std::string error = misplaced_option(line, word); !error.empty()) return fail(error);
  if (word == "run") return run_command(line);
  if (word == "reflect") return reflect_command(line);
  if (word == "explain") return explain_command(line);
  if (word == "completion") return completion_command(line);
  return compile_command(line);
}

}  // namespace
}  // namespace carry::cli

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
  if (name == "carry-dxc" || name == "carry-glslc" || name == "carry-glslang")
    return carry::cli::fail("not supported yet: the name " + std::string(name));
  std::vector<std::string> args;
  for (int i = 1; i < argc; ++i) args.emplace_back(argv[i]);
  const int status = carry::cli::command(std::move(args));
  if (carry::cli::print_trouble().empty()) return status;
  carry::cli::print_error("carry: error: cannot write standard output: " + carry::cli::print_trouble() + "\n");
  return status == 0 ? 1 : status;
}
