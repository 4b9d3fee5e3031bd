#include "target/prepare.h"

#include <bitset>
#include <span>

#include "target/limits.h"

namespace carry::target {

namespace {

LocRange where(const ir::Module& module, const ir::Scan& scan, ir::Feature f) {
  const ir::LocId loc = scan.where[static_cast<size_t>(f)];
  return loc ? module.locs[loc].range : LocRange{};
}

bool check_reject(const ir::Module& module, const ir::Scan& scan, const Target& target, const Reject& reject, Emitter* diags) {
  if (!scan.features.has(reject.feature)) return true;
  if (diags == nullptr) return false;
  const LocRange range = where(module, scan, reject.feature);
  const std::string_view meaning = ir::feature_meaning(reject.feature);
  if (!reject.since.empty()) {
    diags->emit(range, diag::target_version_needed, reject.since, meaning).target(target.name);
    return false;
  }
  const bool by_meaning = reject.diag.id == DiagId::not_supported_yet;
  diags->emit(range, reject.diag, by_meaning ? meaning : std::string_view(target.name)).target(target.name);
  return false;
}

/// What is still there although the target lacks it, or comes with a later version of it: passes may have brought it about.
bool check_left(const ir::Module& module, const Target& target, Emitter* diags) {
  const ir::Scan scan = ir::scan_features(module);
  for (const Reject& reject : target.rejects) {
    if (!reject.since.empty() && !check_reject(module, scan, target, reject, diags)) return false;
  }
  ir::FeatureSet left = scan.features & target.lacks;
  for (size_t i = 0; i < ir::kFeatureCount; ++i) {
    const ir::Feature f = static_cast<ir::Feature>(i);
    if (!left.has(f)) continue;
    if (diags != nullptr)
      diags->emit(where(module, scan, f), diag::not_supported_yet, ir::feature_meaning(f)).target(target.name);
    return false;
  }
  return true;
}

bool check_limits(const ir::Module& module, const Target& target, Emitter* diags) {
  const std::vector<LimitFault> faults = find_limit_faults(module, target.family);
  for (const LimitFault& fault : faults) {
    const LocRange range = fault.loc ? module.locs[fault.loc].range : LocRange{};
    if (diags != nullptr)
      diags->emit(range, diag::target_limit, fault.most, fault.what, fault.value, fault.way).target(target.name);
  }
  return faults.empty();
}

/// Built-in values of the text targets.
constexpr BuiltinVar kWgslInputs[] = {BuiltinVar::frag_coord,
                                      BuiltinVar::front_facing,
                                      BuiltinVar::sample_id,
                                      BuiltinVar::sample_mask,
                                      BuiltinVar::num_workgroups,
                                      BuiltinVar::workgroup_size,
                                      BuiltinVar::workgroup_id,
                                      BuiltinVar::local_invocation_id,
                                      BuiltinVar::vertex_index,
                                      BuiltinVar::instance_index,
                                      BuiltinVar::global_invocation_id,
                                      BuiltinVar::local_invocation_index,
                                      BuiltinVar::subgroup_size,
                                      BuiltinVar::num_subgroups,
                                      BuiltinVar::subgroup_id,
                                      BuiltinVar::subgroup_invocation_id,
                                      BuiltinVar::subgroup_eq_mask,
                                      BuiltinVar::subgroup_ge_mask,
                                      BuiltinVar::subgroup_gt_mask,
                                      BuiltinVar::subgroup_le_mask,
                                      BuiltinVar::subgroup_lt_mask};
constexpr BuiltinVar kWgslOutputs[] = {BuiltinVar::position, BuiltinVar::frag_depth, BuiltinVar::sample_mask};
constexpr BuiltinVar kMslMoreInputs[] = {BuiltinVar::point_coord,    BuiltinVar::primitive_id, BuiltinVar::layer,
                                         BuiltinVar::viewport_index, BuiltinVar::base_vertex,  BuiltinVar::base_instance};
constexpr BuiltinVar kMslMoreOutputs[] = {BuiltinVar::point_size, BuiltinVar::clip_distance, BuiltinVar::layer,
                                          BuiltinVar::viewport_index};

using Present = std::bitset<static_cast<size_t>(BuiltinVar::count_)>;

void add(Present& present, std::span<const BuiltinVar> list) {
  for (BuiltinVar v : list) present.set(static_cast<size_t>(v));
}

std::vector<BuiltinVar> without(const Present& present) {
  std::vector<BuiltinVar> list;
  for (size_t i = 1; i < present.size(); ++i) {
    if (!present.test(i)) list.push_back(static_cast<BuiltinVar>(i));
  }
  return list;
}

void lacked_builtins(const Target& target, pass::PassConfig& config) {
  if (target.family == Family::spirv) return;
  Present inputs, outputs;
  add(inputs, kWgslInputs);
  add(outputs, kWgslOutputs);
  if (target.family == Family::msl) {
    add(inputs, kMslMoreInputs);
    add(outputs, kMslMoreOutputs);
  }
  config.lacks_inputs = without(inputs);
  config.lacks_outputs = without(outputs);
}

}  // namespace

pass::PassConfig pass_config(const Target& target) {
  pass::PassConfig config;
  config.lacks = target.lacks;
  config.expand_target = target.expand_target;
  const bool msl = target.family == Family::msl;
  config.storage_rule = msl ? LayoutRule::msl : LayoutRule::wgsl_storage;
  config.uniform_rule = msl ? LayoutRule::msl : LayoutRule::wgsl_uniform;
  config.packed_vectors = msl;
  config.inputs_in_struct = msl;
  config.linear_workgroups = target.family == Family::wgsl;
  config.target = target.name;
  lacked_builtins(target, config);
  return config;
}

bool check_rejects(const ir::Module& module, const ir::Scan& scan, const Target& target, Emitter* diags) {
  bool ok = true;
  for (const Reject& reject : target.rejects) ok = check_reject(module, scan, target, reject, diags) && ok;
  return ok;
}

Result<bool> prepare(ir::Module& module, const Target& target, uint32_t level, Emitter* diags,
                     const pass::RunOptions& options) {
  const ir::Scan scan = ir::scan_features(module);
  if (!check_rejects(module, scan, target, diags)) return false;
  const pass::PassConfig config = pass_config(target);
  Result<bool> done = pass::run(pass::plan(scan, config, level), module, config, diags, options);
  if (!done.ok() || !done.value()) return done;
  return check_left(module, target, diags) && check_limits(module, target, diags);
}

}  // namespace carry::target
