#include "run_command.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "files.h"
#include "png_image.h"
#include "run_options.h"
#include "run_state.h"
#include "target/target.h"

namespace carry::cli {

namespace {

int fail(int status, const std::string& message) {
  print_error("carry: error: " + message + "\n");
  return status;
}

ir::FunctionId find_entry(const ir::Module& m, std::string_view name) {
  ir::FunctionId found;
  for (ir::FunctionId id : m.function_order) {
    const ir::Function& f = m.functions[id];
    if (f.dead || !f.is_entry || f.entry.stage != Stage::compute) continue;
    if (m.names().text(f.name) == name) return id;
    if (!found) found = id;
  }
  return name.empty() ? found : ir::FunctionId::none();
}

std::string place_text(const RunState& state, const ir::Module& m, ir::LocId loc) {
  if (!loc) return {};
  const SourceMap& sources = state.job.output.compilation->sources;
  const auto place = sources.place(m.locs[loc].range.begin);
  return std::string(place.file) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

/// WHERE=VALUE, split at the first `=`.
bool split_where(const GivenOption& o, std::string& where, std::string& value, std::string& error) {
  const size_t equals = o.value.find('=');
  if (equals == std::string::npos) return error = "option `" + o.spelling + "` wants WHERE=VALUE", false;
  where = o.value.substr(0, equals);
  value = o.value.substr(equals + 1);
  return true;
}

/// A target without push constants reads them from a uniform buffer, which is none of the source's resources.
void move_push_constants(RunState& state) {
  if (state.module == state.canonical || state.resources.push.empty()) return;
  for (const exec::ResourceNeed& need : exec::resource_needs(*state.module, state.entry)) {
    const auto same = [&](const RunNeed& n) {
      return n.space != Space::push && n.set == need.set && n.binding == need.binding;
    };
    if (need.space != Space::uniform || std::any_of(state.needs.begin(), state.needs.end(), same)) continue;
    std::vector<uint8_t> bytes = state.resources.push;
    if (bytes.size() < need.fixed_size) bytes.resize(need.fixed_size);
    state.resources.buffers.push_back({need.set, need.binding, 0, std::move(bytes)});
  }
}

/// Of one option; an array's name stands for all of its elements.
bool set_resource_option(const GivenOption& o, RunState& state, std::string& error) {
  std::string where, value;
  if (!split_where(o, where, value, error)) return false;
  std::vector<size_t> needs;
  if (!state.find_all(where, needs, error)) {
    if (!state.is_unused(where)) return false;
    error.clear();  // nothing reads it
  }
  for (size_t need : needs) {
    if (o.id == Opt::set ? !set_resource(state, need, value, error) : !set_sampler(state, need, value, error)) return false;
  }
  return true;
}

bool set_resources(const CommandLine& line, RunState& state, std::string& error) {
  for (const GivenOption& o : line.options) {
    if ((o.id == Opt::set || o.id == Opt::sampler) && !set_resource_option(o, state, error)) return false;
  }
  if (!complete_resources(state, error)) return false;
  move_push_constants(state);
  return true;
}

/// Every WHERE of the command line.
std::vector<std::string> resources_named(const CommandLine& line) {
  std::vector<std::string> names;
  for (const GivenOption& o : line.options) {
    if (o.id == Opt::set || o.id == Opt::sampler || o.id == Opt::save || o.id == Opt::expect) {
      names.push_back(o.value.substr(0, o.value.find('=')));
    } else if (o.id == Opt::print) {
      PrintRequest request;
      std::string error;
      if (parse_print(o.value, request, error)) names.push_back(request.where);
    }
  }
  return names;
}

bool load(const CommandLine& line, RunState& state, int& status, std::string& error) {
  SharedOptions shared = shared_options(line);
  MessageOptions messages;
  if (!shared.error.empty() || !message_options(line, messages, error)) {
    if (error.empty()) error = shared.error;
    status = 2;
    return false;
  }
  if (shared.request.entries.size() > 1) {
    error = "carry run takes one entry point";
    status = 2;
    return false;
  }
  driver::StopAfter stop = driver::StopAfter::lower;
  shared.request.targets.clear();
  if (line.has(Opt::after_target)) {
    target::Target t;
    if (!target::find_target(line.last(Opt::after_target), t, error)) {
      status = 2;
      return false;
    }
    shared.request.targets.push_back(std::move(t));
    stop = driver::StopAfter::nothing;
  }
  if (shared.request.stage == Stage::none && !facts_of_name(line.files[0]).has_language) shared.request.stage = Stage::compute;
  state.job = run_job(line, shared, messages, line.files[0], stop);
  print_messages(messages, state.job.messages);
  if (state.job.status != 0) {
    status = state.job.status;
    return false;
  }
  state.canonical = &*state.job.output.compilation->module;
  state.module = stop == driver::StopAfter::nothing ? &*state.job.output.targets[0].module : state.canonical;
  const std::string_view wanted =
      shared.request.entries.empty() ? std::string_view() : std::string_view(shared.request.entries[0].name);
  state.canonical_entry = find_entry(*state.canonical, wanted);
  state.entry = find_entry(*state.module, wanted);
  if (!state.canonical_entry || !state.entry) {
    error = wanted.empty() ? "the source has no compute entry point"
                           : "there is no compute entry point `" + std::string(wanted) + "`";
    status = 1;
    return false;
  }
  state.use_needs(exec::resource_needs(*state.canonical, state.canonical_entry), resources_named(line));
  return true;
}

bool save(RunState& state, const GivenOption& o, std::string& error) {
  std::string where, path;
  if (!split_where(o, where, path, error)) return false;
  const std::optional<size_t> need = state.find(where, error);
  if (!need) return false;
  if (exec::Image* image = state.image_of(*need)) {
    if (path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0) return write_png(path, *image, error);
    return write_file(path, image_bytes(*image), error);
  }
  const std::vector<uint8_t>* bytes = state.bytes_of(*need);
  if (bytes == nullptr) return error = "`" + where + "` has no bytes to save", false;
  return write_file(path, std::string(bytes->begin(), bytes->end()), error);
}

/// First difference of a buffer from what was expected; empty when it holds.
std::string difference(RunState& state, size_t need, const std::vector<uint8_t>& wanted, double tolerance) {
  const std::vector<uint8_t>& got = *state.bytes_of(need);
  if (got.size() < wanted.size())
    return "has " + std::to_string(got.size()) + " bytes, fewer than the " + std::to_string(wanted.size()) + " expected";
  for (size_t i = 0; i + 3 < wanted.size(); i += 4) {
    if (std::memcmp(&got[i], &wanted[i], 4) == 0) continue;
    float a = 0, b = 0;
    uint32_t x = 0, y = 0;
    std::memcpy(&a, &got[i], 4);
    std::memcpy(&b, &wanted[i], 4);
    std::memcpy(&x, &got[i], 4);
    std::memcpy(&y, &wanted[i], 4);
    if (tolerance > 0 && std::fabs(double{a} - double{b}) <= tolerance) continue;
    return "word " + std::to_string(i / 4) + " is " + std::to_string(x) + " (" + exec::format_scalar(ScalarKind::u32, x, true) +
           ", " + exec::format_scalar(ScalarKind::f32, x) + "), expected " + std::to_string(y) + " (" +
           exec::format_scalar(ScalarKind::f32, y) + ")";
  }
  if (std::memcmp(got.data() + wanted.size() / 4 * 4, wanted.data() + wanted.size() / 4 * 4, wanted.size() % 4) != 0)
    return "differs in its last bytes";
  return {};
}

bool expect(const CommandLine& line, RunState& state, const GivenOption& o, int& status, std::string& error) {
  std::string where, value;
  if (!split_where(o, where, value, error)) return status = 2, false;
  const std::optional<size_t> need = state.find(where, error);
  if (!need) return status = 2, false;
  if (state.bytes_of(*need) == nullptr)
    return error = "option `--expect`: `" + where + "` is no buffer; --print and --save show an image", status = 2, false;
  std::vector<uint8_t> wanted;
  if (value.size() > 1 && value[0] == '@') {
    std::string content;
    if (!read_file(value.substr(1), content, error)) return status = 2, false;
    wanted.assign(content.begin(), content.end());
  } else if (!exec::parse_value(state.shape_of(*need), value, wanted, error)) {
    return status = 2, false;
  }
  const std::string diff = difference(state, *need, wanted, std::atof(std::string(line.last(Opt::tolerance, "0")).c_str()));
  if (diff.empty()) return true;
  error = "--expect does not hold: `" + where + "` " + diff;
  status = 1;
  return false;
}

/// What --print, --save and --expect name, before the program runs.
bool check_names(const CommandLine& line, const RunState& state, std::string& error) {
  std::vector<std::string> keys;
  for (const GivenOption& o : line.options) {
    std::string where, value;
    if ((o.id == Opt::save || o.id == Opt::expect) && (!split_where(o, where, value, error) || !state.find(where, error)))
      return false;
    if (o.id != Opt::print) continue;
    PrintRequest request;
    if (!parse_print(o.value, request, error)) return false;
    const std::optional<size_t> need = state.find(request.where, error);
    if (!need) return false;
    if (state.is_sampler(*need)) return error = "`" + request.where + "` is a sampler: it has nothing to print", false;
    if (line.has(Opt::json) && std::find(keys.begin(), keys.end(), request.where) != keys.end())
      return error = "`--print` names `" + request.where +
                     "` twice, and --json has one value a name: print it once, or by SET:BINDING",
             false;
    keys.push_back(request.where);
  }
  return true;
}

bool print_resources(const CommandLine& line, RunState& state, const exec::ExecOptions& options, std::string& error) {
  std::string out;
  std::string json = "{\"resources\": {";
  bool first = true;
  for (const GivenOption& o : line.options) {
    if (o.id != Opt::print) continue;
    PrintRequest request;
    if (!parse_print(o.value, request, error)) return false;
    const std::optional<size_t> need = state.find(request.where, error);
    if (!need) return false;
    request.format.json = line.has(Opt::json);
    std::string text;
    if (const exec::Image* image = state.image_of(*need))
      text = exec::format_image(*image, request.format);
    else if (const std::vector<uint8_t>* bytes = state.bytes_of(*need))
      text = exec::format_value(state.shape_of(*need), *bytes, request.format);
    out += request.where + ": " + text + "\n";
    json += std::string(first ? "" : ", ") + "\"" + request.where + "\": " + text;
    first = false;
  }
  json += "}, \"groups\": [" + std::to_string(options.groups[0]) + ", " + std::to_string(options.groups[1]) + ", " +
          std::to_string(options.groups[2]) + "]}\n";
  print_out(line.has(Opt::json) ? json : out);
  return true;
}

/// Messages of --check and --trace; true when --check found something.
bool report(const RunState& state, const exec::ExecResult& result) {
  std::string text;
  for (const exec::TraceLine& t : result.trace) {
    text += place_text(state, *state.module, t.loc) + "trace: " + (t.name.empty() ? "value" : t.name) + " = " + t.value + "\n";
  }
  for (const exec::CheckReport& r : result.reports) {
    text += place_text(state, *state.module, r.loc) + "check: " + r.message +
            (r.count > 1 ? " (" + std::to_string(r.count) + " times)" : "") + "\n";
  }
  print_error(text);
  return !result.reports.empty();
}

}  // namespace

int run_command(const CommandLine& line) {
  if (line.files.size() != 1) return fail(2, "carry run takes one file");
  RunState state;
  std::string error;
  int status = 0;
  if (!load(line, state, status, error)) return error.empty() ? status : fail(status, error);
  exec::ExecOptions options;
  if (!exec_options(line, state, options, error) || !set_resources(line, state, error) || !check_names(line, state, error))
    return fail(2, error);
  const exec::ExecResult result = exec::run(*state.module, state.entry, options, state.resources);
  if (!result.ok) {
    const std::string place = place_text(state, *state.module, result.fault.loc);
    print_error((place.empty() ? "carry: " : place) + "error: " + result.fault.message + "\n");
    return 1;
  }
  if (report(state, result)) status = 1;
  if (!print_resources(line, state, options, error)) return fail(2, error);
  for (const GivenOption& o : line.options) {
    if (o.id == Opt::save && !save(state, o, error)) return fail(1, error);  // check_names saw what names it wrongly
  }
  for (const GivenOption& o : line.options) {
    int done = 0;
    if (o.id == Opt::expect && !expect(line, state, o, done, error)) return fail(done == 0 ? 2 : done, error);
  }
  return status;
}

}  // namespace carry::cli
