#include "output_names.h"

#include <algorithm>

#include "files.h"
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
  for (const char* ending : {".spv", ".spvasm", ".metal", ".msl", ".wgsl"}) {
    const std::string e(ending);
    if (path.size() > e.size() && path.compare(path.size() - e.size(), e.size(), e) == 0)
      return path.substr(0, path.size() - e.size());
  }
  return path;
}

std::string ending(const CommandLine& line, const Target& t) {
  return t.family == target::Family::spirv && line.has(Opt::asm_) ? ".spvasm" : std::string(target::file_ending(t.family));
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

}  // namespace

OutputPlan plan_outputs(const CommandLine& line, SharedOptions& shared) {
  OutputPlan plan;
  std::vector<std::string> outputs;
  for (const GivenOption& o : line.options) {
    if (o.id == Opt::output) outputs.push_back(o.value);
  }
  choose_targets(outputs, shared);
  const std::vector<Target>& targets = shared.request.targets;
  if (outputs.size() > 1 && outputs.size() != targets.size()) {
    plan.error = std::to_string(outputs.size()) + " outputs (-o) for " + std::to_string(targets.size()) + " targets";
    return plan;
  }
  const bool folder = outputs.size() == 1 && (outputs[0].back() == '/' || is_folder(outputs[0]));
  if (line.files.size() > 1 && !outputs.empty() && !folder) {
    plan.error = "several files need a folder as -o: an existing one, or a path that ends in `/`";
    return plan;
  }
  for (const std::string& file : line.files) {
    std::vector<std::string> paths;
    for (size_t t = 0; t < targets.size(); ++t) {
      const std::string end = ending(line, targets[t]);
      if (outputs.empty())
        paths.push_back(stem_of_input(file, line) + end);
      else if (folder)
        paths.push_back(outputs[0] + (outputs[0].back() == '/' ? "" : "/") + stem_of_input(file, line) + end);
      else if (outputs.size() > 1)
        paths.push_back(outputs[t]);
      else if (targets.size() == 1)
        paths.push_back(outputs[0]);
      else
        paths.push_back(outputs[0] == "-" ? "-" : without_known_ending(outputs[0]) + end);
    }
    plan.paths.push_back(std::move(paths));
  }
  std::vector<std::string> all;
  for (const auto& paths : plan.paths) all.insert(all.end(), paths.begin(), paths.end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end()) plan.error = "two results would have the name `" + *twice + "`";
  for (size_t i = 0; i < line.files.size() && plan.error.empty(); ++i) {
    for (const std::string& path : plan.paths[i]) {
      if (path == line.files[i] && path != "-") plan.error = "the output `" + path + "` would replace its own source";
    }
  }
  return plan;
}

}  // namespace carry::cli
