// What a compilation is asked for, as plain data: the command line, the C interface and tests fill it in.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "diag/diag.h"
#include "lower/lower.h"
#include "preprocess/policy.h"
#include "source/include.h"
#include "syntax/language_mode.h"
#include "target/target.h"
#include "types/stage.h"

namespace carry::driver {

struct EntryOption {
  std::string name;
  Stage stage = Stage::none;  // none: from the source or `Request::stage`
};

enum class StopAfter : uint8_t { nothing, preprocess, check, lower, plan };
enum class Optimisation : uint8_t { o0, o1, o2, size };

struct Request {
  // ---- source ----
  std::string name;  // as messages show it
  std::shared_ptr<const std::string> text;
  SourceLanguage language = SourceLanguage::glsl;
  LanguageVersion default_version;  // -std; 0: what the specification says (HLSL: 2021)
  std::vector<CommandLineMacro> macros;
  std::vector<std::string> forced_includes;
  IncludeResolver* includes = nullptr;  // null: every #include fails
  // ---- entries ----
  std::vector<EntryOption> entries;  // empty: those the source marks, else `main`
  Stage stage = Stage::none;         // of the file
  uint32_t shader_model = 66;
  // ---- meaning ----
  bool vulkan_glsl = true;
  bool strict_literals = false;
  bool strict_types = false;
  bool strict_float_conversion = false;
  bool native_16bit = false;
  bool atomic_float = false;
  LayoutRule cbuffer_layout = LayoutRule::std140_relaxed;
  LayoutRule structured_layout = LayoutRule::std430_relaxed;
  lower::Options lowering;
  // ---- results ----
  std::vector<target::Target> targets;
  bool split_entries = false;  // one output a target and entry
  bool reflection = false;     // fill in Output::reflection
  bool times = false;          // fill in Output::times
  std::string print_after;     // name of a pass: Output::ir_text is the IR after it, of each target; nothing is written
  Optimisation optimisation = Optimisation::o1;
  bool debug_info = false;
  std::vector<std::pair<std::string, std::string>> debug_prefixes;  // old and new beginning of file names
  bool print_places = false;                                        // with ` @12:5` at its lines
  StopAfter stop_after = StopAfter::nothing;
  DiagOptions diagnostics;
};

}  // namespace carry::driver
