#include "run_options.h"

#include <algorithm>
#include <cstring>

#include "numbers.h"
#include "target/target.h"

namespace carry::cli {

namespace {

bool parse_size(std::string_view text, std::array<uint32_t, 3>& size) {
  size = {1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    const size_t comma = text.find(',');
    if (!whole_number(text.substr(0, comma), size[i]) || size[i] == 0) return false;
    if (comma == std::string_view::npos) return true;
    text = text.substr(comma + 1);
  }
  return false;
}

size_t exec_bytes(ScalarKind s) { return scalar_bits(s) / 8; }

/// --spec ID=VALUE or NAME=VALUE.
bool add_spec(const ir::Module& m, std::string_view text, exec::ExecOptions& options, std::string& error) {
  const size_t equals = text.find('=');
  const std::string key(text.substr(0, equals));
  if (equals == std::string_view::npos) {
    error = "option `--spec` wants ID=VALUE or NAME=VALUE, not `" + key + "`";
    return false;
  }
  for (ir::GlobalId id : m.global_order) {
    const ir::Global& g = m.globals[id];
    if (g.kind != ir::GlobalKind::override_) continue;
    if (m.names().text(g.name) != key && std::to_string(g.override_id) != key) continue;
    std::vector<uint8_t> bytes;
    const ScalarKind s = m.types().scalar_of(g.type);
    const std::string value(text.substr(equals + 1));
    exec::SpecValue spec{g.override_id, 0};
    if (s == ScalarKind::bool_) {
      spec.bits = value == "true" || value == "1" ? 1 : 0;
      if (spec.bits == 0 && value != "false" && value != "0")
        return error = "option `--spec`: `" + value + "` is not true or false, which the constant `" + key + "` takes", false;
    } else {
      ir::Context& c = *m.context;
      const exec::ValueShape shape{c.names, c.types, c.layouts, g.type, c.layouts.scalar_or_vector(c.types, g.type)};
      if (!exec::parse_value(shape, std::string(scalar_name(s)) + ":" + value, bytes, error))
        return error = "option `--spec`: constant `" + key + "`: " + error, false;
      if (bytes.size() != exec_bytes(s)) return error = "option `--spec`: the constant `" + key + "` takes one value", false;
      std::memcpy(&spec.bits, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    }
    options.spec.push_back(spec);
    return true;
  }
  error = "option `--spec`: there is no specialization constant `" + key + "`";
  std::string known;
  for (ir::GlobalId id : m.global_order) {
    if (m.globals[id].kind != ir::GlobalKind::override_) continue;
    const std::string name(m.names().text(m.globals[id].name));
    known += (known.empty() ? "; there are " : ", ") + (name.empty() ? std::to_string(m.globals[id].override_id) : name);
  }
  error += known.empty() ? "; the source has none" : known;
  return false;
}

bool wants(std::string& error, const char* option, std::string_view got, const char* what) {
  error = std::string("option `") + option + "`: `" + std::string(got) + "` is not " + what;
  return false;
}

bool size_options(const CommandLine& line, const RunState& state, exec::ExecOptions& o, std::string& error) {
  constexpr const char* kSize = "X[,Y[,Z]], numbers from 1 on";
  if (line.has(Opt::groups) && line.has(Opt::threads))
    return error = "`--groups` and `--threads` say the same: give one", false;
  if (line.has(Opt::groups))
    return parse_size(line.last(Opt::groups), o.groups) || wants(error, "--groups", line.last(Opt::groups), kSize);
  if (!line.has(Opt::threads)) return true;
  std::array<uint32_t, 3> size{};
  if (!parse_size(line.last(Opt::threads), o.groups)) return wants(error, "--threads", line.last(Opt::threads), kSize);
  if (!exec::workgroup_size(*state.canonical, state.canonical_entry, o.spec, size, error)) return false;
  for (size_t i = 0; i < 3; ++i) o.groups[i] = o.groups[i] / size[i] + (o.groups[i] % size[i] != 0 ? 1 : 0);
  return true;
}

bool order_option(std::string_view order, exec::ExecOptions& o, std::string& error) {
  if (order == "forward") return true;
  if (order == "reverse") return o.order = exec::LaneOrder::reverse, true;
  o.order = exec::LaneOrder::shuffle;
  if (order == "shuffle" || (order.substr(0, 8) == "shuffle:" && whole_number(order.substr(8), o.seed))) return true;
  return wants(error, "--order", order, "forward, reverse or shuffle:SEED");
}

/// What the entry's [WaveSize] asks for; null if it has none.
const WaveSizes* wave_sizes(const RunState& state) {
  const driver::Compilation& c = *state.job.output.compilation;
  const std::string_view name = state.canonical->names().text(state.canonical->functions[state.canonical_entry].name);
  for (const EntryFact& e : c.facts.entries) {
    if (e.wave_sizes.attribute && c.context.names.text(e.name) == name) return &e.wave_sizes;
  }
  return nullptr;
}

/// Without the option: what [WaveSize] prefers, else the default or the nearest size of its range.
bool subgroup_option(const CommandLine& line, const RunState& state, exec::ExecOptions& o, std::string& error) {
  const WaveSizes* asked = wave_sizes(state);
  if (!line.has(Opt::subgroup_size)) {
    if (asked != nullptr)
      o.subgroup_size = asked->preferred != 0 ? asked->preferred : std::clamp(o.subgroup_size, asked->min, asked->max);
    return true;
  }
  const std::string_view given = line.last(Opt::subgroup_size);
  const bool number = whole_number(given, o.subgroup_size);
  if (!number || o.subgroup_size == 0 || (o.subgroup_size & (o.subgroup_size - 1)) != 0 || o.subgroup_size > 128)
    return wants(error, "--subgroup-size", given, "a power of two from 1 to 128");
  if (asked == nullptr || (o.subgroup_size >= asked->min && o.subgroup_size <= asked->max)) return true;
  const std::string sizes = std::to_string(asked->min) + (asked->min == asked->max ? "" : " to " + std::to_string(asked->max));
  return wants(error, "--subgroup-size", given, ("what [WaveSize] of this entry point asks for: " + sizes).c_str());
}

/// The lane must exist: a trace of none would say nothing.
bool trace_option(const CommandLine& line, const RunState& state, exec::ExecOptions& o, std::string& error) {
  std::array<uint32_t, 3> size{};
  if (!exec::workgroup_size(*state.canonical, state.canonical_entry, o.spec, size, error)) return false;
  uint64_t lanes = 1;
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t more = uint64_t{o.groups[i]} * size[i];
    lanes = lanes > uint64_t{1} << 62 || more > (uint64_t{1} << 62) / lanes ? uint64_t{1} << 62 : lanes * more;
  }
  const std::string_view given = line.last(Opt::trace);
  if (!whole_number(given, o.trace_lane) || o.trace_lane < 0 || static_cast<uint64_t>(o.trace_lane) >= lanes)
    return wants(error, "--trace", given, ("an invocation from 0 to " + std::to_string(lanes - 1)).c_str());
  return true;
}

}  // namespace

bool exec_options(const CommandLine& line, const RunState& state, exec::ExecOptions& o, std::string& error) {
  for (const GivenOption& g : line.options) {
    if (g.id == Opt::spec && !add_spec(*state.canonical, g.value, o, error)) return false;
  }
  if (!size_options(line, state, o, error)) return false;
  if (!subgroup_option(line, state, o, error)) return false;
  if (!order_option(line.last(Opt::order, "forward"), o, error)) return false;
  if (line.has(Opt::max_steps) && !whole_number(line.last(Opt::max_steps), o.max_steps))
    return wants(error, "--max-steps", line.last(Opt::max_steps), "a number of instructions");
  if (line.has(Opt::trace) && !trace_option(line, state, o, error)) return false;
  if (line.has(Opt::check)) {
    o.check = exec::kCheckDefault;
    const std::string_view more = line.last(Opt::check);
    if (!more.empty() && more != "nan") return wants(error, "--check", more, "`nan`, the only word that it takes");
    if (more == "nan") o.check |= exec::kCheckNan;
  }
  return true;
}

}  // namespace carry::cli
