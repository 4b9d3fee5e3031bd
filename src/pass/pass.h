// Passes: what each removes and leaves (passes.def), the planner, the runner. A pass never asks for the target: PassConfig
// says what that lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/diag.h"
#include "ir/features.h"
#include "ir/module.h"
#include "ops/expand.h"
#include "types/layout.h"

namespace carry::pass {

/// From the target's row; the default removes everything that a pass can remove.
struct PassConfig {
  ir::FeatureSet lacks;                                                 // features to remove; those not in it may stay
  builtins::ExpandTarget expand_target = builtins::ExpandTarget::wgsl;  // operations that `expand_ops` computes from others
  LayoutRule storage_rule = LayoutRule::wgsl_storage;                   // natural layout of the target's types
  LayoutRule uniform_rule = LayoutRule::wgsl_uniform;
  bool packed_vectors = false;    // MSL: packed_float3 and kin
  bool inputs_in_struct = false;  // MSL: located inputs form one [[stage_in]] struct
  // WGSL: entries that ask for a lane's number in its subgroup have workgroups of one dimension. How lanes of several dimensions
  // fall into subgroups is open there, and naga refuses to tell.
  bool linear_workgroups = false;
  uint32_t sampler_shift = 128;           // binding of the sampler of a split combined one
  std::vector<BuiltinVar> lacks_inputs;   // built-in values that entries cannot get
  std::vector<BuiltinVar> lacks_outputs;  // and those that they cannot give
  std::string target;                     // name, for messages only
};

struct PassContext {
  ir::Module& module;
  const PassConfig& config;
  Emitter* diags = nullptr;  // none in tests that expect no message
  bool failed = false;       // an error was reported: the target gives no output

  [[nodiscard]] LocRange range(ir::LocId loc) const { return loc ? module.locs[loc].range : LocRange{}; }
  template <int N, class... Args>
  [[gnu::cold]] void error(ir::LocId loc, DiagConstant<N> row, Args&&... args) {
    failed = true;
    if (diags != nullptr) diags->emit(range(loc), row, std::forward<Args>(args)...).target(config.target);
  }
  template <int N, class... Args>
  [[gnu::cold]] void note(ir::LocId loc, DiagConstant<N> row, Args&&... args) {
    if (diags != nullptr) diags->emit(range(loc), row, std::forward<Args>(args)...).target(config.target);
  }
};

enum class PassId : uint8_t {
#define PASS(name, slot, level, removes, leaves, after) name,
#include "pass/passes.def"
#undef PASS
  count_
};

enum class Slot : uint8_t {
  legal,  // chosen by features
  early,  // optimisation on the canonical module, before the targets' copies
  late,   // optimisation after legalisation
};

struct PassRow {
  std::string_view name;
  Slot slot;
  uint32_t level;  // -O level from which an optimisation runs
  ir::FeatureSet removes;
  ir::FeatureSet leaves;   // may introduce
  std::string_view after;  // names, separated by spaces
  void (*run)(PassContext& context);
};

[[nodiscard]] const PassRow& pass_row(PassId id);
[[nodiscard]] PassId find_pass(std::string_view name);  // count_ when there is none

struct Plan {
  std::vector<PassId> passes;
};
/// Pure: which passes bring a module with these features and operations to what `config` allows. Sorted by "leaves before
/// removes" and `after`; ties by the table's order. Late optimisations of `level` come at the end.
[[nodiscard]] Plan plan(const ir::Scan& scan, const PassConfig& config, uint32_t level = 1);
/// Optimisations on the canonical module.
[[nodiscard]] Plan early_plan(uint32_t level);

struct RunOptions {
  bool verify = true;  // after every pass; else once at the end
  /// Called after each pass (--print-ir), may be null.
  void (*after_pass)(void* user, PassId pass, const ir::Module& module) = nullptr;
  void* user = nullptr;
};
/// False with an error in `diags` when the module cannot be brought there; a Bug when a pass broke it.
[[nodiscard]] Result<bool> run(const Plan& plan, ir::Module& module, const PassConfig& config, Emitter* diags,
                               const RunOptions& options);

#define PASS(name, slot, level, removes, leaves, after) void name(PassContext& context);
#include "pass/passes.def"
#undef PASS

}  // namespace carry::pass
