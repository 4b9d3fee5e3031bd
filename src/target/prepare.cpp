#include "target/prepare.h"

namespace carry::target {

namespace {

LocRange where(const ir::Module& module, const ir::Scan& scan, ir::Feature f) {
  const ir::LocId loc = scan.where[static_cast<size_t>(f)];
  return loc ? module.locs[loc].range : LocRange{};
}

/// What is still there although the target lacks it.
bool check_left(const ir::Module& module, const Target& target, Emitter* diags) {
  const ir::Scan scan = ir::scan_features(module);
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
  config.target = target.name;
  return config;
}

bool check_rejects(const ir::Module& module, const ir::Scan& scan, const Target& target, Emitter* diags) {
  bool ok = true;
  for (const Reject& reject : target.rejects) {
    if (!scan.features.has(reject.feature)) continue;
    ok = false;
    if (diags != nullptr) diags->emit(where(module, scan, reject.feature), reject.diag, target.name).target(target.name);
  }
  return ok;
}

Result<bool> prepare(ir::Module& module, const Target& target, uint32_t level, Emitter* diags,
                     const pass::RunOptions& options) {
  const ir::Scan scan = ir::scan_features(module);
  if (!check_rejects(module, scan, target, diags)) return false;
  const pass::PassConfig config = pass_config(target);
  Result<bool> done = pass::run(pass::plan(scan, config, level), module, config, diags, options);
  if (!done.ok() || !done.value()) return done;
  return check_left(module, target, diags);
}

}  // namespace carry::target
