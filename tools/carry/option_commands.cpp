// Which command takes which option. One that a command would not look at is an error, never silence.
#include "command_line.h"

namespace carry::cli {

namespace {

enum Commands : unsigned char { kCompile = 1, kReflect = 2, kRun = 4, kExplain = 8 };
constexpr unsigned kSources = kCompile | kReflect | kRun;

struct CommandRow {
  Commands bit;
  std::string_view word, usage;
};
constexpr CommandRow kCommands[] = {{kCompile, "compile", "carry FILE"},
                                    {kReflect, "reflect", "carry reflect"},
                                    {kRun, "run", "carry run"},
                                    {kExplain, "explain", "carry explain"}};

/// Options that say how to compile stand with all commands that read a source.
unsigned commands_of(Opt id) {
  switch (id) {
    case Opt::target:
    case Opt::output: return kCompile | kReflect;
    case Opt::all_entries: return kCompile | kReflect;
    case Opt::warning: return kSources | kExplain;
    case Opt::split_entries:
    case Opt::depfile:
    case Opt::depfile_default:
    case Opt::dep_target:
    case Opt::preprocess:
    case Opt::asm_:
    case Opt::print_ir:
    case Opt::print_plan:
    case Opt::time:
    case Opt::reflect:
    case Opt::jobs: return kCompile;
    case Opt::json: return kRun | kExplain;
    case Opt::groups:
    case Opt::threads:
    case Opt::set:
    case Opt::print:
    case Opt::save:
    case Opt::expect:
    case Opt::tolerance:
    case Opt::sampler:
    case Opt::spec:
    case Opt::subgroup_size:
    case Opt::order:
    case Opt::max_steps:
    case Opt::trace:
    case Opt::check:
    case Opt::after_target: return kRun;
    default: return kSources;
  }
}

std::string_view instead(Opt id, unsigned command) {
  if (command == kRun && id == Opt::target) return "; `--after-target` runs what a target's passes leave";
  if (command == kRun && id == Opt::output) return "; `--save WHERE=FILE` writes a resource";
  if (command == kCompile && id == Opt::json) return "; `--diagnostics json` gives messages, `--reflect FILE` the reflection";
  return {};
}

}  // namespace

std::string misplaced_option(const CommandLine& line, std::string_view command) {
  unsigned bit = command.empty() ? unsigned{kCompile} : 0u;
  std::string_view usage = "carry FILE";
  for (const CommandRow& row : kCommands) {
    if (row.word == command) bit = row.bit, usage = row.usage;
  }
  for (const GivenOption& o : line.options) {
    const unsigned takers = commands_of(o.id);
    if ((takers & bit) != 0) continue;
    std::string list;
    for (const CommandRow& row : kCommands) {
      if ((takers & row.bit) != 0) list += (list.empty() ? "`" : ", `") + std::string(row.usage) + "`";
    }
    const std::string user = bit == 0 ? "carry " + std::string(command) : std::string(usage);
    return "`" + user + "` takes no option `" + o.spelling + "`: it is of " + list + std::string(instead(o.id, bit));
  }
  return {};
}

}  // namespace carry::cli
