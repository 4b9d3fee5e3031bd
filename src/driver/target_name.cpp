#include "driver/target_name.h"

namespace carry::driver {

namespace {

struct VersionRow {
  std::string_view name;
  TargetKind kind;
  uint32_t version;  // spirv: header word, 0: by the environment; msl: 204
  uint32_t vulkan;
};

constexpr VersionRow kTargets[] = {
    {"spirv", TargetKind::spirv, 0, 102},      {"vulkan1.0", TargetKind::spirv, 0, 100},
    {"vulkan1.1", TargetKind::spirv, 0, 101},  {"vulkan1.2", TargetKind::spirv, 0, 102},
    {"vulkan1.3", TargetKind::spirv, 0, 103},  {"vulkan1.4", TargetKind::spirv, 0, 104},
    {"spirv1.0", TargetKind::spirv, 0x00010000, 0}, {"spirv1.1", TargetKind::spirv, 0x00010100, 0},
    {"spirv1.2", TargetKind::spirv, 0x00010200, 0}, {"spirv1.3", TargetKind::spirv, 0x00010300, 0},
    {"spirv1.4", TargetKind::spirv, 0x00010400, 0}, {"spirv1.5", TargetKind::spirv, 0x00010500, 0},
    {"spirv1.6", TargetKind::spirv, 0x00010600, 0}, {"msl", TargetKind::msl, 204, 0},
    {"msl2.1", TargetKind::msl, 201, 0},       {"msl2.2", TargetKind::msl, 202, 0},
    {"msl2.3", TargetKind::msl, 203, 0},       {"msl2.4", TargetKind::msl, 204, 0},
    {"msl3.0", TargetKind::msl, 300, 0},       {"msl3.1", TargetKind::msl, 301, 0},
    {"msl3.2", TargetKind::msl, 302, 0},       {"wgsl", TargetKind::wgsl, 0, 0}};

struct FeatureRow {
  std::string_view name;
  TargetKind kind;
  std::string_view help;
};

constexpr FeatureRow kFeatures[] = {
    {"subgroups", TargetKind::wgsl, "subgroup built-ins"},
    {"f16", TargetKind::wgsl, "16-bit floats"},
    {"atomic-vec2u-min-max", TargetKind::wgsl, "64-bit unsigned minimum and maximum, result unused"},
    {"int64", TargetKind::spirv, "64-bit integers although the shader does not ask for them"},
    {"atomic-float", TargetKind::spirv, "native float add"},
    {"atomic-int64", TargetKind::spirv, "64-bit atomics"}};

std::string known_names() {
  std::string names;
  for (const VersionRow& row : kTargets) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::string known_features(TargetKind kind) {
  std::string names;
  for (const FeatureRow& row : kFeatures) {
    if (row.kind == kind) names += (names.empty() ? "+" : ", +") + std::string(row.name);
  }
  return names;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool parse_target(std::string_view text, TargetRequest& target, std::string& error) {
  const std::string whole(text);
  target.name = whole;
  target.features.clear();
  const size_t plus = text.find('+');
  std::string_view base = text.substr(0, plus);
  target.ios = ends_with(base, "-ios");
  if (target.ios) base.remove_suffix(4);
  const VersionRow* found = nullptr;
  for (const VersionRow& row : kTargets) {
    if (row.name == base) found = &row;
  }
  if (base == "glsl" || base == "essl" || base == "hlsl") {
    error = "not supported yet: target `" + whole + "`";
    return false;
  }
  if (found == nullptr || (target.ios && found->kind != TargetKind::msl)) {
    error = "unknown target `" + whole + "`; there are " + known_names();
    return false;
  }
  target.kind = found->kind;
  target.version = found->version;
  target.vulkan = found->vulkan;
  std::string_view rest = plus == std::string_view::npos ? std::string_view() : text.substr(plus + 1);
  while (!rest.empty()) {
    const size_t next = rest.find('+');
    const std::string_view feature = rest.substr(0, next);
    bool known = false;
    for (const FeatureRow& row : kFeatures) known = known || (row.kind == found->kind && row.name == feature);
    if (!known) {
      const std::string there = known_features(found->kind);
      error = "target `" + whole + "`: unknown feature `" + std::string(feature) + "`" + (there.empty() ? "" : "; there are " + there);
      return false;
    }
    target.features.emplace_back(feature);
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 1);
  }
  return true;
}

bool target_of_ending(std::string_view path, TargetRequest& target) {
  std::string error;
  if (ends_with(path, ".spv") || ends_with(path, ".spvasm")) return parse_target("vulkan1.2", target, error);
  if (ends_with(path, ".metal") || ends_with(path, ".msl")) return parse_target("msl", target, error);
  if (ends_with(path, ".wgsl")) return parse_target("wgsl", target, error);
  return false;
}

std::string_view ending_of(TargetKind kind) {
  return kind == TargetKind::spirv ? ".spv" : kind == TargetKind::msl ? ".metal" : ".wgsl";
}

std::string list_targets() {
  std::string text;
  for (const VersionRow& row : kTargets) {
    text += std::string(row.name);
    if (row.name == "spirv") text += "  (= vulkan1.2)";
    if (row.name == "msl") text += "  (= msl2.4)";
    if (row.kind == TargetKind::msl && row.name != "msl") text += "  (-ios for iOS)";
    text += '\n';
  }
  text += "\nfeatures, added with +NAME:\n";
  for (const FeatureRow& row : kFeatures) {
    const char* kind = row.kind == TargetKind::wgsl ? "wgsl+" : row.kind == TargetKind::msl ? "msl+" : "vulkan1.2+";
    text += std::string(kind) + std::string(row.name) + "  " + std::string(row.help) + '\n';
  }
  return text;
}

}  // namespace carry::driver
