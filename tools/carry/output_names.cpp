#include "output_names.h"

#include <algorithm>

#include "files.h"
#include "source/include.h"
#include "target/target.h"

namespace carry::cli {

namespace {

using target::Target;

/// The input's name in the current folder, without `.hlsl` or `.glsl`; stage endings are kept.
std::string stem_of_input(const std::string& file, const CommandLine& line) {
  std::string name = base_name(file == "-" ? std::string(line.last(Opt::name, "stdin")) : file);
  for (const char* ending : {".hlsl", ".glsl"}) {
    const std::string e(ending);
    if (name.size() > e.size() && name.compare(name.size() - e.size(), e.size(), e) == 0)
      return name.substr(0, name.size() - e.size());
  }
  return name;
}

std::string without_known_ending(const std::string& path) {
  for (const char* ending : {".spvasm", ".spv", ".metal", ".msl", ".wgsl"}) {
    const std::string e(ending);
    if (path.size() > e.size() && path.compare(path.size() - e.size(), e.size(), e) == 0)
      return path.substr(0, path.size() - e.size());
  }
  return path;
}

bool target_of_ending(const std::string& path, Target& t) {
  const size_t dot = path.find_last_of('.');
  const std::string end = dot == std::string::npos ? std::string() : path.substr(dot);
  std::string error;
  if (end == ".spv" || end == ".spvasm") return target::find_target("vulkan1.2", t, error);
  if (end == ".metal" || end == ".msl") return target::find_target("msl", t, error);
  return end == ".wgsl" && target::find_target("wgsl", t, error);
}

void choose_targets(const std::vector<std::string>& outputs, SharedOptions& shared) {
  if (shared.targets_given) return;
  for (const std::string& path : outputs) {
    Target t;
    if (target_of_ending(path, t)) shared.request.targets.push_back(t);
  }
  if (shared.request.targets.empty()) {
    Target t;
    std::string error;
    static_cast<void>(target::find_target("vulkan1.2", t, error));
    shared.request.targets.push_back(t);
  }
}

/// Several outputs whose endings say what they hold, in the order of the targets; false with an error where they hold no such.
bool order_outputs(const std::vector<Target>& targets, std::vector<std::string>& outputs, std::string& error) {
  std::vector<std::string> ordered(outputs.size());
  for (std::string& path : outputs) {
    Target said;
    if (!target_of_ending(path, said)) return true;  // as given
    size_t t = 0;
    while (t < targets.size() && (targets[t].family != said.family || !ordered[t].empty())) ++t;
    if (t == targets.size()) {
      error = "no target for `" + path + "`: its ending says another one than --target";
      return false;
    }
    ordered[t] = path;
  }
  outputs = std::move(ordered);
  return true;
}

/// paths[file][target] of the plan; false with an error.
bool plan_targets(const CommandLine& line, const SharedOptions& shared, std::vector<std::string> outputs, OutputPlan& plan) {
  const std::vector<Target>& targets = shared.request.targets;
  const bool split = line.has(Opt::split_entries);
  if (outputs.size() > 1 && outputs.size() != targets.size()) {
    plan.error = std::to_string(outputs.size()) + " outputs (-o) for " + std::to_string(targets.size()) + " targets";
    return false;
  }
  if (outputs.size() > 1 && !order_outputs(targets, outputs, plan.error)) return false;
  if (split && std::find(outputs.begin(), outputs.end(), "-") != outputs.end()) {
    plan.error = "--split-entries makes several files: -o needs a name";
    return false;
  }
  const bool folder = outputs.size() == 1 && (outputs[0].back() == '/' || is_folder(outputs[0]));
  if (line.files.size() > 1 && !outputs.empty() && !folder) {
    plan.error = "several files need a folder as -o: an existing one, or a path that ends in `/`";
    return false;
  }
  for (const std::string& file : line.files) {
    std::vector<std::string> paths;
    for (size_t t = 0; t < targets.size(); ++t) {
      const std::string end = split ? "" : output_ending(line, targets[t]);
      if (outputs.empty())
        paths.push_back(stem_of_input(file, line) + end);
      else if (folder)
        paths.push_back(outputs[0] + (outputs[0].back() == '/' ? "" : "/") + stem_of_input(file, line) + end);
      else if (outputs.size() > 1 || targets.size() == 1)
        paths.push_back(split ? without_known_ending(outputs[t]) : outputs[t]);
      else
        paths.push_back(outputs[0] == "-" ? "-" : without_known_ending(outputs[0]) + end);
    }
    plan.paths.push_back(std::move(paths));
  }
  return true;
}

bool plan_depfiles(const CommandLine& line, OutputPlan& plan) {
  const std::string named(line.last(Opt::depfile));
  plan.depfiles.resize(line.files.size());
  if (named.empty() && !line.has(Opt::depfile_default)) return true;
  if (!named.empty() && line.files.size() > 1) {
    plan.error = "one file of dependencies for several sources: -MD names them by the outputs";
    return false;
  }
  for (size_t i = 0; i < line.files.size(); ++i) {
    const std::string& first = plan.paths[i].empty() ? std::string() : plan.paths[i][0];
    plan.depfiles[i] =
        !named.empty() ? named : (first.empty() || first == "-" ? stem_of_input(line.files[i], line) : first) + ".d";
  }
  return true;
}

bool plan_reflections(const CommandLine& line, OutputPlan& plan) {
  const std::string path(line.last(Opt::reflect));
  plan.reflections.resize(line.files.size());
  if (path.empty()) return true;
  const bool folder = path.back() == '/' || is_folder(path);
  if (line.files.size() > 1 && !folder) {
    plan.error = "several files need a folder as --reflect: an existing one, or a path that ends in `/`";
    return false;
  }
  for (size_t i = 0; i < line.files.size(); ++i) {
    plan.reflections[i] = folder ? path + (path.back() == '/' ? "" : "/") + stem_of_input(line.files[i], line) + ".json" : path;
  }
  return true;
}

/// Two results with one name, or one with a source's, are found before work starts.
void check_names(const CommandLine& line, OutputPlan& plan) {
  std::vector<std::string> all;
  const bool split = line.has(Opt::split_entries);
  for (size_t i = 0; i < line.files.size(); ++i) {
    // Split outputs get the entry's name and the ending of their target.
    for (size_t t = 0; i < plan.paths.size() && t < plan.paths[i].size(); ++t)
      all.push_back(plan.paths[i][t] + (split ? " split " + std::to_string(t) : ""));
    for (const std::vector<std::string>* list : {&plan.depfiles, &plan.reflections}) {
      if (i < list->size() && !(*list)[i].empty()) all.push_back((*list)[i]);
    }
  }
  if (!plan.text.empty()) all.push_back(plan.text);
  for (const std::string& path : all) {
    for (const std::string& file : line.files) {
      if (path != "-" && file != "-" && same_file(path, file) && plan.error.empty())
        plan.error = "the output `" + path + "` would replace the source `" + file + "`";
    }
  }
  for (std::string& path : all) {
    if (path != "-") path = normal_path(path);
  }
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end() && plan.error.empty())
    plan.error = *twice == "-" ? "two results on standard output: give one of them a file"
                               : "two results would have the name `" + *twice + "`";
}

}  // namespace

std::string output_ending(const CommandLine& line, const Target& t) {
  return t.family == target::Family::spirv && line.has(Opt::asm_) ? ".spvasm" : std::string(target::file_ending(t.family));
}

std::string path_of_entry(const std::string& path, std::string_view entry, std::string_view ending) {
  std::string name(entry);
  for (char& c : name) {
    if (c == ':') c = '_';
  }
  return path + "." + name + std::string(ending);
}

OutputPlan plan_outputs(const CommandLine& line, SharedOptions& shared, OutputKind kind) {
  OutputPlan plan;
  std::vector<std::string> outputs;
  for (const GivenOption& o : line.options) {
    if (o.id != Opt::output) continue;
    if (o.value.empty()) plan.error = "option `" + o.spelling + "` needs a path";
    outputs.push_back(o.value);
  }
  if (!plan.error.empty()) return plan;
  if (std::count(line.files.begin(), line.files.end(), "-") > 1) plan.error = "standard input can be read once";
  choose_targets(kind.targets ? outputs : std::vector<std::string>(), shared);
  if (kind.prints) {
    const bool to_file = !kind.targets && !outputs.empty();
    plan.text = to_file ? outputs.back() : "-";
    if (to_file && line.files.size() > 1 && plan.text != "-") plan.error = "several files are printed to standard output only";
  }
  if (!plan.error.empty()) return plan;
  if (kind.targets && !plan_targets(line, shared, outputs, plan)) return plan;
  if (!kind.targets) plan.paths.resize(line.files.size());
  if (!plan_depfiles(line, plan) || !plan_reflections(line, plan)) return plan;
  check_names(line, plan);
  return plan;
}

}  // namespace carry::cli
