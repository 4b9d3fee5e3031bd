// carry-ir: reads IR text, runs passes, verifies and prints it. For tests and for people who work on passes.
//   carry-ir [--target=T [-O N]] [--pass=NAME]... [--plan] [FILE | -]
// `--target` gives the passes their config; without `--pass` it runs the target's whole plan, `--plan` only prints its names.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ir/text.h"
#include "ir/verify.h"
#include "target/prepare.h"

namespace {

struct Options {
  std::string path = "-";
  std::string target;
  std::vector<std::string> passes;
  uint32_t level = 1;
  bool only_plan = false;
};

bool read_all(const std::string& path, std::string& out) {
  FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char buffer[65536];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) out.append(buffer, n);
  if (file != stdin) std::fclose(file);
  return true;
}

int fail(const std::string& message, int status) {
  std::fprintf(stderr, "carry-ir: %s\n", message.c_str());
  return status;
}

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool parse_options(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (starts_with(arg, "--target=")) {
      o.target = arg.substr(9);
    } else if (starts_with(arg, "--pass=")) {
      o.passes.push_back(arg.substr(7));
    } else if (starts_with(arg, "-O") && arg.size() > 2) {
      o.level = static_cast<uint32_t>(std::atoi(arg.c_str() + 2));
    } else if (arg == "--plan") {
      o.only_plan = true;
    } else if (arg != "-" && starts_with(arg, "-")) {
      return false;
    } else {
      o.path = arg;
    }
  }
  return true;
}

int verify_module(const carry::ir::Module& module) {
  const std::vector<carry::ir::VerifyError> errors = carry::ir::verify(module);
  for (const carry::ir::VerifyError& e : errors) std::fprintf(stderr, "carry-ir: %s\n", carry::ir::describe(module, e).c_str());
  return errors.empty() ? 0 : 1;
}

int finish(const carry::Result<bool>& result, const carry::Emitter& diags) {
  if (!result.ok()) return fail(result.bug().pass + ": " + result.bug().message, 3);
  for (const carry::Diagnostic& d : diags.diagnostics()) std::fprintf(stderr, "carry-ir: %s\n", carry::message_text(d).c_str());
  return result.value() ? 0 : 1;
}

int run(const Options& o, carry::ir::Module& module) {
  carry::target::Target target;
  carry::pass::PassConfig config;
  std::string error;
  if (!o.target.empty()) {
    if (!carry::target::find_target(o.target, target, error)) return fail(error, 2);
    config = carry::target::pass_config(target);
  } else {
    for (size_t i = 0; i < carry::ir::kFeatureCount; ++i) config.lacks.add(static_cast<carry::ir::Feature>(i));
  }
  carry::Emitter diags;
  carry::pass::Plan plan;
  for (const std::string& name : o.passes) {
    const carry::pass::PassId id = carry::pass::find_pass(name);
    if (id == carry::pass::PassId::count_) return fail("no pass `" + name + "`", 2);
    plan.passes.push_back(id);
  }
  if (o.only_plan) {
    plan = carry::pass::plan(carry::ir::scan_features(module), config, o.level);
    for (carry::pass::PassId id : plan.passes) std::printf("%s\n", std::string(carry::pass::pass_row(id).name).c_str());
    return 0;
  }
  if (o.passes.empty()) return o.target.empty() ? 0 : finish(carry::target::prepare(module, target, o.level, &diags), diags);
  return finish(carry::pass::run(plan, module, config, &diags, {}), diags);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse_options(argc, argv, options))
    return fail("usage: carry-ir [--target=T] [--pass=NAME]... [--plan] [-O1] [FILE | -]", 2);
  std::string text;
  if (!read_all(options.path, text)) return fail("cannot read " + options.path, 2);
  carry::ir::Context context;
  carry::ir::Module module(context);
  carry::ir::ParseError error;
  if (!carry::ir::parse(text, module, error)) {
    std::fprintf(stderr, "%s:%u:%u: %s\n", options.path.c_str(), error.line, error.column, error.message.c_str());
    return 1;
  }
  if (const int status = verify_module(module)) return status;
  if (const int status = run(options, module)) return status;
  if (!options.only_plan) std::fputs(carry::ir::print(module).c_str(), stdout);
  return 0;
}
