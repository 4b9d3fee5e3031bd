// The planner and the runner. Both read passes.def and know no pass by name.
#include <bitset>

#include "ir/compact.h"
#include "ir/may_expand.h"
#include "ir/verify.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using enum ir::Feature;

#define SET(...) \
  ir::FeatureSet { __VA_ARGS__ }
constexpr PassRow kRows[] = {
#define PASS(name, slot, level, removes, leaves, after) {#name, Slot::slot, level, removes, leaves, after, &pass::name},
#include "pass/passes.def"
#undef PASS
};
#undef SET

constexpr size_t kCount = static_cast<size_t>(PassId::count_);
using PassSet = std::bitset<kCount>;

/// Whether `names` (separated by spaces) holds `name`.
bool names_pass(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t space = names.find(' ');
    if (names.substr(0, space) == name) return true;
    if (space == std::string_view::npos) return false;
    names.remove_prefix(space + 1);
  }
  return false;
}

/// `a` has to run before `b`.
bool before(size_t a, size_t b) {
  if (a == b) return false;
  return names_pass(kRows[b].after, kRows[a].name) || !(kRows[a].leaves & kRows[b].removes).empty();
}

/// Topological, the table's order where nothing else decides. What a cycle would leave is appended in the table's order;
/// the table test shows that there is none.
std::vector<PassId> sorted(const PassSet& chosen) {
  std::vector<PassId> order;
  PassSet left = chosen;
  while (left.any()) {
    size_t pick = kCount;
    for (size_t i = 0; i < kCount && pick == kCount; ++i) {
      if (!left.test(i)) continue;
      bool free = true;
      for (size_t k = 0; k < kCount; ++k) free = free && !(left.test(k) && before(k, i));
      if (free) pick = i;
    }
    for (size_t i = 0; i < kCount && pick == kCount; ++i) {
      if (left.test(i)) pick = i;
    }
    left.reset(pick);
    order.push_back(static_cast<PassId>(pick));
  }
  return order;
}

bool uses_expandable(const ir::Scan& scan, builtins::ExpandTarget target) {
  for (size_t op = 0; op < ir::kOpCount; ++op) {
    if (scan.ops[op] == 0) continue;
    for (uint32_t s = 0; s <= static_cast<uint32_t>(ScalarKind::none); ++s) {
      if ((scan.ops[op] >> s & 1) == 0) continue;
      if (ir::may_expand(static_cast<Op>(op), target, static_cast<ScalarKind>(s))) return true;
    }
  }
  return false;
}

Bug verify_bug(const ir::Module& module, std::string_view pass, const ir::VerifyError& error) {
  return {"pass", std::string(pass), ir::describe(module, error)};
}

}  // namespace

const PassRow& pass_row(PassId id) { return kRows[static_cast<size_t>(id)]; }

PassId find_pass(std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (kRows[i].name == name) return static_cast<PassId>(i);
  }
  return PassId::count_;
}

Plan plan(const ir::Scan& scan, const PassConfig& config, uint32_t level) {
  ir::FeatureSet present = scan.features;
  if (uses_expandable(scan, config.expand_target)) present.add(expandable_op);
  PassSet chosen;
  for (bool grew = true; grew;) {
    grew = false;
    const ir::FeatureSet wanted = present & config.lacks;
    for (size_t i = 0; i < kCount; ++i) {
      if (chosen.test(i) || kRows[i].slot != Slot::legal || (kRows[i].removes & wanted).empty()) continue;
      chosen.set(i);
      present = present | kRows[i].leaves;
      grew = true;
    }
  }
  Plan result{sorted(chosen)};
  PassSet late;
  for (size_t i = 0; i < kCount; ++i) {
    if (kRows[i].slot == Slot::late && kRows[i].level <= level) late.set(i);
  }
  const std::vector<PassId> tail = sorted(late);
  result.passes.insert(result.passes.end(), tail.begin(), tail.end());
  return result;
}

Plan early_plan(uint32_t level) {
  PassSet chosen;
  for (size_t i = 0; i < kCount; ++i) {
    if (kRows[i].slot == Slot::early && kRows[i].level <= level) chosen.set(i);
  }
  return {sorted(chosen)};
}

Result<bool> run(const Plan& plan, ir::Module& module, const PassConfig& config, Emitter* diags, const RunOptions& options) {
  PassContext context{module, config, diags, false};
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    const PassRow& row = pass_row(plan.passes[i]);
    row.run(context);
    if (context.failed) return false;
    if (options.after_pass != nullptr) options.after_pass(options.user, plan.passes[i], module);
    if (!options.verify && i + 1 != plan.passes.size()) continue;
    const std::vector<ir::VerifyError> errors = ir::verify(module, 1);
    if (!errors.empty()) return verify_bug(module, row.name, errors[0]);
    if (!options.verify) continue;
    const ir::FeatureSet kept = ir::scan_features(module).features & config.lacks & row.removes;
    for (size_t f = 0; f < ir::kFeatureCount; ++f) {
      const ir::Feature feature = static_cast<ir::Feature>(f);
      if (kept.has(feature))
        return Bug{"pass", std::string(row.name), "left behind what it removes: " + std::string(ir::feature_name(feature))};
    }
  }
  if (!plan.passes.empty()) ir::compact(module);
  return true;
}

}  // namespace carry::pass
