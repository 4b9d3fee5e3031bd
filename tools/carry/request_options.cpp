#include "request_options.h"

#include <algorithm>

#include "binding_map.h"
#include "driver/options.h"
#include "files.h"
#include "numbers.h"

namespace carry::cli {

namespace {

using driver::Request;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool bad(SharedOptions& out, const std::string& message) {
  if (out.error.empty()) out.error = message;
  return false;
}

bool bad_value(SharedOptions& out, const GivenOption& o, std::string_view wanted) {
  return bad(out, "option `" + o.spelling + "`: `" + o.value + "` is not " + std::string(wanted));
}

bool add_targets(SharedOptions& out, std::string_view list) {
  for (const std::string& name : split(list, ',')) {
    target::Target target;
    std::string error;
    if (!target::find_target(name, target, error)) return bad(out, error);
    out.request.targets.push_back(std::move(target));
  }
  out.targets_given = true;
  return true;
}

bool set_profile(SharedOptions& out, const GivenOption& o) {
  const std::vector<std::string> parts = split(o.value, '_');
  uint32_t major = 0, minor = 0;
  const bool shape = parts.size() == 3 && whole_number(parts[1], major) && (parts[2] == "x" || whole_number(parts[2], minor));
  const bool known = major == 6 ? minor <= 10 : (major == 4 || major == 5) && minor <= 1;
  if (!shape || !known) return bad_value(out, o, "a profile such as cs_6_6");
  if (parts[2] == "x") minor = 8;
  if (parts[0] != "lib") {
    const Stage stage = driver::find_stage(parts[0]);
    if (stage == Stage::none || parts[0].size() != 2) return bad_value(out, o, "a profile such as cs_6_6");
    out.request.stage = stage;
  }
  if (major < 6) major = 6, minor = 0;
  out.request.shader_model = major * 10 + minor;
  if (!out.language_given) out.request.language = SourceLanguage::hlsl;
  out.profile_given = true;
  return true;
}

bool set_language(SharedOptions& out, const GivenOption& o) {
  if (o.value != "glsl" && o.value != "hlsl") return bad_value(out, o, "glsl or hlsl");
  out.request.language = o.value == "hlsl" ? SourceLanguage::hlsl : SourceLanguage::glsl;
  out.language_given = true;
  return true;
}

bool set_std(SharedOptions& out, const GivenOption& o) {
  std::string_view text = o.value;
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  LanguageVersion v;
  const std::string_view profile = text.substr(digits);
  if (digits == 0 || !whole_number(text.substr(0, digits), v.number)) return bad_value(out, o, "a version such as 450core");
  if (profile == "es")
    v.profile = GlslProfile::es;
  else if (profile == "core")
    v.profile = GlslProfile::core;
  else if (profile == "compatibility")
    v.profile = GlslProfile::compatibility;
  else if (!profile.empty())
    return bad_value(out, o, "a version such as 450core");
  if (!complete_version(v)) return bad_value(out, o, "a GLSL version");
  out.request.default_version = v;
  return true;
}

bool set_hlsl_version(SharedOptions& out, const GivenOption& o) {
  uint32_t year = 0;
  if (o.value == "202x")
    year = 2029;
  else if (!whole_number(o.value, year) || (year != 2016 && year != 2017 && year != 2018 && year != 2021)) {
    return bad_value(out, o, "2016, 2017, 2018, 2021 or 202x");
  }
  out.request.default_version = {year, GlslProfile::none};
  return true;
}

bool add_macro(SharedOptions& out, const GivenOption& o, bool undefine) {
  if (!driver::is_macro(o.value, undefine))
    return bad_value(out, o, undefine ? "a macro's name" : "NAME or NAME=TEXT with a macro's name");
  out.request.macros.push_back({o.value, undefine});
  return true;
}

bool set_warning(SharedOptions& out, const GivenOption& o) {
  DiagOptions& d = out.request.diagnostics;
  std::string_view name = o.value;
  if (name == "all" || name == "extra" || name == "everything") {
    d.all_warnings = true;
    return true;
  }
  if (name == "error") {
    d.warnings_are_errors = true;
    return true;
  }
  DiagOptions::State state = DiagOptions::State::on;
  if (name.substr(0, 6) == "error=") {
    state = DiagOptions::State::error;
    name.remove_prefix(6);
  } else if (name.substr(0, 9) == "no-error=") {
    name.remove_prefix(9);
  } else if (name.substr(0, 3) == "no-") {
    state = DiagOptions::State::off;
    name.remove_prefix(3);
  }
  const DiagId id = find_diag(name);
  // DXC's warnings that Carry does not have change nothing: a DXC line works unchanged.
  if (id != DiagId::count_) d.state[static_cast<size_t>(id)] = state;
  return true;
}

bool set_strict(SharedOptions& out, const GivenOption& o) {
  Request& r = out.request;
  if (o.value.empty()) {
    r.strict_literals = r.strict_types = r.strict_float_conversion = true;
    return true;
  }
  for (const std::string& part : split(o.value, ',')) {
    if (part == "literals")
      r.strict_literals = true;
    else if (part == "types")
      r.strict_types = true;
    else if (part == "float-conversion")
      r.strict_float_conversion = true;
    else
      return bad_value(out, o, "a list of literals, types, float-conversion");
  }
  return true;
}

bool set_layout(SharedOptions& out, std::string_view name) {
  return driver::set_layout(out.request, name) ||
         bad(out, "option `--layout`: `" + std::string(name) + "` is not dxc, d3d, std or scalar");
}

bool add_shift(SharedOptions& out, const GivenOption& o, RegisterClass register_class) {
  lower::BindingShift shift;
  shift.register_class = register_class;
  if (!whole_number(o.value, shift.shift)) return bad_value(out, o, "a number");
  if (o.second != "all" && !whole_number(o.second, shift.space))
    return bad(out, "option `" + o.spelling + "`: `" + o.second + "` is not a space or `all`");
  out.request.lowering.bindings.shifts.push_back(shift);
  out.request.lowering.bindings.style = lower::BindingStyle::dxc;
  return true;
}

/// -ffile-prefix-map=OLD=NEW
bool add_prefix(SharedOptions& out, const GivenOption& o) {
  const size_t equals = o.value.find('=');
  if (equals == std::string::npos) return bad_value(out, o, "of the form OLD=NEW");
  out.request.debug_prefixes.emplace_back(o.value.substr(0, equals), o.value.substr(equals + 1));
  return true;
}

/// -fvk-bind-register t5 0 1 2: what has register t5 in space 0 gets number 1 in set 2.
bool bind_register(SharedOptions& out, const GivenOption& o) {
  lower::NamedBinding b;
  constexpr std::string_view kClasses = "btsu";
  constexpr RegisterClass kIds[] = {RegisterClass::b, RegisterClass::t, RegisterClass::s, RegisterClass::u};
  const size_t at = o.value.empty() ? std::string_view::npos : kClasses.find(o.value[0]);
  if (at == std::string_view::npos || !whole_number(std::string_view(o.value).substr(1), b.register_index))
    return bad_value(out, o, "a register such as t5");
  b.register_class = kIds[at];
  const std::pair<const std::string*, uint32_t*> numbers[] = {
      {&o.second, &b.register_space}, {&o.third, &b.binding}, {&o.fourth, &b.set}};
  for (const auto& [text, value] : numbers) {
    if (!whole_number(*text, *value)) return bad(out, "option `" + o.spelling + "`: `" + *text + "` is not a number");
  }
  out.request.lowering.bindings.named.push_back(std::move(b));
  return true;
}

bool set_bindings(SharedOptions& out, const GivenOption& o) {
  return driver::set_bindings(out.request, o.value) || bad_value(out, o, "auto, dxc or separated");
}

bool add_entries(SharedOptions& out, const GivenOption& o) {
  for (const std::string& name : split(o.value, ',')) {
    if (name.empty()) return bad_value(out, o, "a list of names");
    for (const driver::EntryOption& e : out.request.entries) {
      if (e.name == name) return bad(out, "option `" + o.spelling + "`: the entry point `" + name + "` is given twice");
    }
    out.request.entries.push_back({name, Stage::none});
  }
  return true;
}

bool set_stages(SharedOptions& out, const GivenOption& o) {
  const std::vector<std::string> words = split(o.value, ',');
  std::vector<Stage> stages;
  for (const std::string& word : words) {
    stages.push_back(driver::find_stage(word));
    if (stages.back() == Stage::none) return bad_value(out, o, "a stage: vert, frag, comp, tesc, tese, geom, mesh, task ...");
  }
  if (stages.size() == 1) {
    out.request.stage = stages[0];
    return true;
  }
  if (stages.size() != out.request.entries.size())
    return bad(out, "`--stage` lists " + std::to_string(stages.size()) + " stages for " +
                        std::to_string(out.request.entries.size()) + " entries (give -E first)");
  for (size_t i = 0; i < stages.size(); ++i) out.request.entries[i].stage = stages[i];
  return true;
}

bool apply(SharedOptions& out, const GivenOption& o) {
  Request& r = out.request;
  switch (o.id) {
    case Opt::target: return add_targets(out, o.value);
    case Opt::fspv_target_env: return add_targets(out, o.value == "universal1.5" ? "spirv1.5" : o.value);
    case Opt::entry: return add_entries(out, o);
    case Opt::profile: return set_profile(out, o);
    case Opt::lang: return set_language(out, o);
    case Opt::std: return set_std(out, o);
    case Opt::hv: return set_hlsl_version(out, o);
    case Opt::define: return add_macro(out, o, false);
    case Opt::undefine: return add_macro(out, o, true);
    case Opt::include_dir: out.include_folders.push_back(o.value); return true;
    case Opt::include_file: r.forced_includes.push_back(o.value); return true;
    case Opt::opt0: r.optimisation = driver::Optimisation::o0; return true;
    case Opt::opt1: r.optimisation = driver::Optimisation::o1; return true;
    case Opt::opt2: r.optimisation = driver::Optimisation::o2; return true;
    case Opt::opt_size: r.optimisation = driver::Optimisation::size; return true;
    case Opt::debug: r.debug_info = true; return true;
    case Opt::prefix_map: return add_prefix(out, o);
    case Opt::no_warnings: r.diagnostics.no_warnings = true; return true;
    case Opt::warnings_as_errors: r.diagnostics.warnings_are_errors = true; return true;
    case Opt::warning: return set_warning(out, o);
    case Opt::error_limit: return whole_number(o.value, r.diagnostics.error_limit) || bad_value(out, o, "a number");
    case Opt::strict: return set_strict(out, o);
    case Opt::strict_float: r.strict_float_conversion = true; return true;
    case Opt::bindings: return set_bindings(out, o);
    case Opt::binding_map: return read_binding_map(o.value, r.lowering.bindings, out.error);
    case Opt::shift_b: return add_shift(out, o, RegisterClass::b);
    case Opt::shift_t: return add_shift(out, o, RegisterClass::t);
    case Opt::shift_s: return add_shift(out, o, RegisterClass::s);
    case Opt::shift_u: return add_shift(out, o, RegisterClass::u);
    case Opt::bind_register: return bind_register(out, o);
    case Opt::layout: return set_layout(out, o.value);
    case Opt::layout_d3d: return set_layout(out, "d3d");
    case Opt::layout_std: return set_layout(out, "std");
    case Opt::layout_scalar: return set_layout(out, "scalar");
    case Opt::row_major: r.lowering.row_major_default = true; return true;
    case Opt::column_major: r.lowering.row_major_default = false; return true;
    case Opt::native_16bit: r.native_16bit = true; return true;
    case Opt::spirv: r.lowering.bindings.style = lower::BindingStyle::dxc; return true;
    case Opt::invert_y: r.lowering.invert_y = true; return true;
    case Opt::dx_position_w: r.lowering.position_w_reciprocal = true; return true;
    case Opt::native_arithmetic: r.lowering.native_arithmetic = true; return true;
    case Opt::glsl_mod:
      if (o.value != "floored" && o.value != "truncated") return bad_value(out, o, "floored or truncated");
      r.lowering.floored_mod = o.value == "floored";
      return true;
    case Opt::atomic_float: r.atomic_float = true; return true;
    case Opt::auto_map:
      if (o.value != "on" && o.value != "off") return bad_value(out, o, "on or off");
      r.lowering.bindings.assign_missing = o.value == "on";
      return true;
    default: return true;  // of the commands
  }
}

}  // namespace

NameFacts facts_of_name(const std::string& name) {
  NameFacts facts;
  const std::vector<std::string> parts = split(base_name(name), '.');
  if (parts.size() < 2) return facts;
  const std::string& last = parts.back();
  const auto stage_ending = [](const std::string& word) {
    return word.size() > 2 || word == "vs" || word == "ps" || word == "cs" ? driver::find_stage(word) : Stage::none;
  };
  if (last == "hlsl" || last == "fx" || last == "hlsli") {
    facts.has_language = true;
    facts.language = SourceLanguage::hlsl;
  } else if (last == "glsl") {
    facts.has_language = true;
  } else {
    facts.stage = stage_ending(last);
    facts.short_stage = last.size() == 2;
    facts.has_language = facts.stage != Stage::none;
    return facts;
  }
  if (parts.size() > 2) facts.stage = stage_ending(parts[parts.size() - 2]);
  return facts;
}

SharedOptions shared_options(const CommandLine& line) {
  SharedOptions out;
  for (const GivenOption& o : line.options) {
    if (!apply(out, o)) return out;
  }
  if (line.has(Opt::all_entries) && line.has(Opt::entry))
    static_cast<void>(bad(out, "`--all-entries` and `-E` say different things: give one of them"));
  const bool from_stream = std::find(line.files.begin(), line.files.end(), "-") != line.files.end();
  if (line.has(Opt::name) && !from_stream)
    static_cast<void>(bad(out, "option `--name` is for standard input (-), which is not read here"));
  if (line.has(Opt::spirv) && !out.targets_given) static_cast<void>(add_targets(out, "vulkan1.2"));
  // In the order of -E, wherever they stand.
  for (const GivenOption& o : line.options) {
    if (o.id == Opt::stage && !set_stages(out, o)) return out;
  }
  return out;
}

}  // namespace carry::cli
