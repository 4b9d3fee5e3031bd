// Everything that one compilation owns: sources, names, types, diagnostics, the lowered module. Stages get what they need
// from here; nothing is shared between two compilations but the Session, which is read-only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/facts.h"
#include "driver/request.h"
#include "ir/module.h"
#include "preprocess/preprocess.h"
#include "reflect/reflection.h"
#include "source/source_map.h"
#include "syntax/tree.h"

namespace carry::driver {

/// What compilations of one process share. Read-only while compilations run.
struct Session {};

class Compilation {
 public:
  explicit Compilation(const Request& request) : diags(request.diagnostics) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  ir::Context context;  // names, types, layouts
  SourceMap sources;
  Emitter diags;
  LanguageMode mode;
  Stage stage = Stage::none;  // of the file, when known
  Preprocessed preprocessed;
  std::optional<Tree> tree;
  Facts facts;
  std::optional<ir::Module> module;  // canonical, after lowering: what `carry run` executes
};

/// Result for one target; `ok` false: its errors are among the diagnostics (Diagnostic::target).
struct TargetOutput {
  target::Target target;
  std::string entry;  // Request::split_entries: its name in the source
  bool ok = false;
  std::string bytes;
  std::optional<ir::Module> module;  // as the writer saw it: for comparison and reflection
};

/// How long a stage took, and the bytes of what it left behind.
struct StageTime {
  std::string stage;
  double milliseconds = 0;
  uint64_t bytes = 0;
};

struct Output {
  std::unique_ptr<Compilation> compilation;  // sources and diagnostics, also after a failure
  bool ok = false;                           // no error; every target has its bytes
  std::optional<Bug> bug;
  std::string preprocessed_text;  // StopAfter::preprocess
  std::string plan_text;          // StopAfter::plan
  std::string ir_text;            // Request::print_after
  std::vector<TargetOutput> targets;
  std::vector<std::string> dependencies;  // included files
  std::optional<reflect::Reflection> reflection;
  std::vector<StageTime> times;
};

/// Never throws, prints or exits.
[[nodiscard]] Output compile(const Session& session, const Request& request);

}  // namespace carry::driver
