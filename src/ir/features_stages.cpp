// What a stage of an entry reaches, by way of calls: some targets have it in some stages only.
#include "ir/features_scanner.h"

namespace carry::ir {

namespace {

class StageWalk {
 public:
  StageWalk(const Module& module, Scan& scan) : m_(module), scan_(scan) {}

  void entry(FunctionId id) {
    const Function& f = m_.functions[id];
    stage_ = f.entry.stage;
    for (std::vector<int8_t>& memo : after_) memo.assign(m_.functions.size(), kNew);
    demoted_ = false;
    loc_ = f.loc;
    for (const std::vector<IoAttr>& param : f.param_io) {
      for (const IoAttr& io : param) builtin(io.builtin);
    }
    function(id);
  }

 private:
  static constexpr int8_t kNew = -1;

  void add(Feature f) { add_feature(scan_, f, loc_); }

  /// What it does to `demoted_` is known after the first time with either value.
  void function(FunctionId id) {
    int8_t& after = after_[demoted_ ? 1 : 0][id.value];
    if (after == kNew) {
      after = demoted_ ? 1 : 0;
      region(m_.functions[id].body);
      after = demoted_ ? 1 : 0;
    }
    demoted_ = after == 1;
  }

  void region(RegionId id) {
    for (InstId i : m_.regions[id].insts) inst(m_.insts[i]);
  }

  void inst(const Inst& in) {
    loc_ = in.loc;
    const bool lanes = has_trait(in.op, kLanes) && !has_trait(in.op, kDerivative);
    if (stage_ == Stage::vertex && lanes) add(Feature::vertex_lanes);
    if (in.op == Op::barrier) barrier(BarrierInfo::unpack(in.payload));
    if (stage_ == Stage::vertex && (in.op == Op::image_write || in.op == Op::texel)) add(Feature::vertex_image_write);
    if (in.op == Op::demote) demoted_ = true;
    if (demoted_ && takes_derivatives(in)) add(Feature::demote_derivative);
    for (ValueId v : m_.operands(in)) {
      if (v.is_global()) builtin(m_.globals[v.global_id()].builtin);
    }
    if (in.op == Op::call) return function(FunctionId(in.payload));
    regions(in);
  }

  void regions(const Inst& in) {
    const bool before = demoted_;
    bool after = before;
    for (RegionId r : m_.inst_regions(in)) {
      if (in.op != Op::loop) demoted_ = before;
      region(r);
      after = after || demoted_;
    }
    demoted_ = after;
    if (in.op != Op::loop || before == after) return;
    for (RegionId r : m_.inst_regions(in)) region(r);  // the next round
  }

  void barrier(const BarrierInfo& info) {
    if (info.exec == Scope::subgroup && stage_ == Stage::vertex) add(Feature::vertex_lanes);
    if (info.exec != Scope::subgroup && info.spaces != 0) add(Feature::stage_fence);
  }

  void builtin(BuiltinVar v) {
    if (is_subgroup_builtin(v)) add(stage_ == Stage::vertex ? Feature::vertex_lanes : Feature::fragment_lane_number);
  }

  const Module& m_;
  Scan& scan_;
  Stage stage_ = Stage::none;
  bool demoted_ = false;          // an invocation may go on as a helper here
  std::vector<int8_t> after_[2];  // by `demoted_` before, and function
  LocId loc_;
};

}  // namespace

bool takes_derivatives(const Inst& in) {
  constexpr uint16_t kLevel = kSampleLod | kSampleGrad;
  const bool implicit = in.op == Op::sample && (SampleInfo::unpack(in.payload).mask & kLevel) == 0;
  return implicit || has_trait(in.op, kDerivative) || in.op == Op::query_lod;
}

void scan_stages(const Module& module, Scan& scan) {
  StageWalk walk(module, scan);
  for (FunctionId id : module.function_order) {
    const Function& f = module.functions[id];
    if (f.dead || !f.is_entry) continue;
    if (f.entry.stage == Stage::vertex || f.entry.stage == Stage::fragment) walk.entry(id);
  }
}

}  // namespace carry::ir
