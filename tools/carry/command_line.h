// The command line as data: options by id with their values, in order, and the files. The rows stand in options.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carry::cli {

enum class Opt : unsigned char {
  target,
  fspv_target_env,
  output,
  entry,
  all_entries,
  split_entries,
  profile,
  stage,
  lang,
  name,
  std,
  hv,
  define,
  undefine,
  include_dir,
  include_file,
  opt0,
  opt1,
  opt2,
  opt_size,
  debug,
  prefix_map,
  no_warnings,
  warnings_as_errors,
  warning,
  error_limit,
  strict,
  strict_float,
  bindings,
  binding_map,
  shift_b,
  shift_t,
  shift_s,
  shift_u,
  bind_register,
  layout,
  layout_d3d,
  layout_std,
  layout_scalar,
  row_major,
  column_major,
  native_16bit,
  spirv,
  invert_y,
  dx_position_w,
  native_arithmetic,
  glsl_mod,
  atomic_float,
  auto_map,
  diagnostics,
  depfile,
  depfile_default,
  dep_target,
  preprocess,
  asm_,
  print_ir,
  print_plan,
  time,
  reflect,
  jobs,
  list_targets,
  version,
  help,
  json,
  groups,
  threads,
  set,
  print,
  save,
  expect,
  tolerance,
  sampler,
  spec,
  subgroup_size,
  order,
  max_steps,
  trace,
  check,
  after_target,
  not_yet,
  no_effect,
  refused
};

enum class Form : unsigned char { flag, joined, value, either, two, four, optional };

struct OptionRow {
  Opt id;
  std::string_view spelling;
  Form form;
  std::string_view value_name;
  std::string_view help;
};

struct GivenOption {
  Opt id;
  std::string spelling;
  std::string value;
  std::string second;         // of `two` and `four`
  std::string third, fourth;  // of `four`
};

struct CommandLine {
  std::vector<GivenOption> options;
  std::vector<std::string> files;
  std::string error;  // not empty: exit status 2, nothing was read

  [[nodiscard]] bool has(Opt id) const;
  /// Value of the last one given, or `otherwise`.
  [[nodiscard]] std::string_view last(Opt id, std::string_view otherwise = {}) const;
};

/// `args` without the program's and the command's name. Expands @FILE.
[[nodiscard]] CommandLine parse_command_line(std::vector<std::string> args);
/// Empty, or why an option is none of this command's: "" and "compile", "reflect", "run", "explain", "completion".
[[nodiscard]] std::string misplaced_option(const CommandLine& line, std::string_view command);
/// The table of options.
[[nodiscard]] std::span<const OptionRow> option_rows();
/// All, or of one command ("run"); empty for a word that is none.
[[nodiscard]] std::string help_text(std::string_view command);
/// The nearest of `candidates` by edit distance, empty if none is near.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace carry::cli
