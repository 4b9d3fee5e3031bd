#include "ir/features.h"

#include "ir/features_scanner.h"

namespace carry::ir {

namespace {

constexpr std::string_view kNames[] = {
#define FEATURE(name, meaning) #name,
#include "ir/features.def"
#undef FEATURE
};
constexpr std::string_view kMeanings[] = {
#define FEATURE(name, meaning) meaning,
#include "ir/features.def"
#undef FEATURE
};

}  // namespace

bool has_odd_float(const TypeTable& types, ConstId id) {
  const Constant c = types.constant(id);
  if (c.kind == Constant::Kind::composite) {
    for (ConstId part : types.parts(id)) {
      if (has_odd_float(types, part)) return true;
    }
    return false;
  }
  const ScalarKind s = c.kind == Constant::Kind::scalar ? types.scalar_of(c.type) : ScalarKind::none;
  if (s == ScalarKind::f16) return c.bits == 0x8000u || (c.bits & 0x7c00u) == 0x7c00u;
  return s == ScalarKind::f32 && (c.bits == 0x80000000u || (c.bits & 0x7f800000u) == 0x7f800000u);
}

Scan Scanner::run() {
  for (GlobalId id : m_.global_order) global(m_.globals[id]);
  for (InstId id : m_.module_insts) {
    const Inst& in = m_.insts[id];
    add(Feature::override_expr);
    if (has_trait(in.op, kVariant) && in.payload != static_cast<uint32_t>(ArithmeticVariant::raw)) add(Feature::override_guard);
    use(in);
  }
  for (FunctionId id : m_.function_order) {
    if (!m_.functions[id].dead) function(m_.functions[id]);
  }
  if (derivatives_ && derivative_groups_) add(Feature::compute_derivatives);
  scan_stages(m_, scan_);
  return std::move(scan_);
}

Scan scan_features(const Module& module) { return Scanner(module).run(); }

std::string_view feature_name(Feature f) { return kNames[static_cast<size_t>(f)]; }
std::string_view feature_meaning(Feature f) { return kMeanings[static_cast<size_t>(f)]; }
Feature find_feature(std::string_view name) {
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kNames[i] == name) return static_cast<Feature>(i);
  }
  return Feature::count_;
}

bool is_subgroup_builtin(BuiltinVar v) {
  switch (v) {
    case BuiltinVar::subgroup_size:
    case BuiltinVar::num_subgroups:
    case BuiltinVar::subgroup_id:
    case BuiltinVar::subgroup_invocation_id:
    case BuiltinVar::subgroup_eq_mask:
    case BuiltinVar::subgroup_ge_mask:
    case BuiltinVar::subgroup_gt_mask:
    case BuiltinVar::subgroup_le_mask:
    case BuiltinVar::subgroup_lt_mask: return true;
    default: return false;
  }
}

}  // namespace carry::ir
