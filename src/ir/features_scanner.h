// The walk behind `scan_features`, by what it looks at: globals and stages (features_globals.cpp), types (features_types.cpp),
// operations (features_ops.cpp, features_images.cpp), what an entry's stage reaches (features_stages.cpp). Internal to this folder.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/features.h"
#include "types/layout_crossed.h"

namespace carry::ir {

inline void add_feature(Scan& scan, Feature f, LocId loc) {
  if (!scan.features.has(f)) scan.where[static_cast<size_t>(f)] = loc;
  scan.features.add(f);
}

/// Samples without a level of their own, and derivatives.
[[nodiscard]] bool takes_derivatives(const Inst& in);

/// Features that depend on the stage of the entries that reach something.
void scan_stages(const Module& module, Scan& scan);

class Scanner {
 public:
  explicit Scanner(const Module& module)
      : m_(module), seen_(module.types().size(), 0), crossed_(find_crossed(module.layouts())) {}
  Scan run();

 private:
  struct Flow {
    bool in_loop = false;
    bool switch_in_loop = false;  // a switch stands between here and the innermost loop
  };

  void add(Feature f) { add_feature(scan_, f, loc_); }

  // ---- features_globals.cpp ----
  void global(const Global& g);
  void stage(const Function& f);
  void function(const Function& f);
  void binding(GlobalId id);
  void operands(const Inst& in);

  // ---- features_types.cpp ----
  /// bit 1: visited; bit 2: bool inside; bit 4: handle inside.
  void scalar(ScalarKind s);
  uint8_t type(TypeId id);
  void texture(const Type& t);
  [[nodiscard]] bool has_empty_struct(TypeId id) const;
  [[nodiscard]] bool has_unsized(TypeId id) const;
  [[nodiscard]] bool has_large(TypeId id) const;

  // ---- features_ops.cpp ----
  void use(const Inst& in);
  void region(RegionId id, const Flow& flow);
  void control(const Inst& in, const Flow& flow);
  void variant(const Inst& in);
  void atomic(const Inst& in);
  void texel_atomic(ScalarKind s);
  void float_bits(Op op);
  void reference(const Param& p, ValueId v);
  void int64_atomic(const Inst& in);
  [[nodiscard]] bool is_used(RegionId region, ValueId value) const;
  void lanes(const Inst& in);
  void inst(const Inst& in, const Flow& flow);

  // ---- features_images.cpp ----
  [[nodiscard]] bool compares_colour(const Inst& in) const;
  [[nodiscard]] ValueId option(const Inst& in, uint16_t bit) const;
  [[nodiscard]] bool is_zero(ValueId v) const;
  void odd_reads(const Inst& in, const Type& texture);
  [[nodiscard]] bool is_whole_level(ValueId v) const;
  void sample(const Inst& in);
  void line_level(const Inst& in, ValueId level);

  const Module& m_;
  Scan scan_;
  std::vector<uint8_t> seen_;
  std::vector<bool> crossed_;  // by LayoutId
  bool derivatives_ = false, derivative_groups_ = false;
  bool pointer_params_ = false;  // of the function
  const Function* f_ = nullptr;
  std::unordered_map<uint64_t, GlobalId> bindings_;
  std::unordered_set<uint32_t> override_ids_;
  std::unordered_set<uint32_t> parts_;  // locals made by `at`
  std::unordered_set<uint32_t> whole_;  // locals that are whole numbers
  LocId loc_;
};

}  // namespace carry::ir
