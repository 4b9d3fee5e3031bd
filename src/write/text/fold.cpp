#include "write/text/fold.h"

namespace carry::write::text {

using ir::Inst;
using ir::InstId;
using ir::RegionId;
using ir::ValueId;

namespace {

/// Nothing that depends on memory or on the set of active lanes may move across it.
bool is_wall(const OpRow& row) { return (row.traits & (kWrite | kAtomic | kBarrier | kControl | kTerminator)) != 0; }

/// May be printed later than where it stands, if there is no wall between.
bool may_move_within_epoch(const OpRow& row) {
  return row.results == 1 && (row.traits & (kWrite | kAtomic | kBarrier | kControl | kTerminator)) == 0;
}

/// Its result depends on the lanes that compute it with this one.
bool asks_lanes(const OpRow& row, Op op) { return (row.traits & kLanes) != 0 || op == Op::sample || op == Op::query_lod; }

/// Prints operands that are not always computed: `?:`, `&&`, `||`.
bool is_conditional(const ir::Module& m, const ir::Function& f, const Inst& user) {
  if (user.op != Op::select && user.op != Op::and_ && user.op != Op::or_) return false;
  return m.types().scalar_of(m.type_of(f, m.operand(user, 0))) == ScalarKind::bool_;
}

}  // namespace

FoldPlan::FoldPlan(const ir::Module& module, const ir::Function& function, const FoldOptions& options)
    : module_(module), function_(function), options_(options) {
  const size_t n = function.value_types.size();
  folded_.assign(n, false);
  named_.assign(n, false);
  uses_.assign(n, 0);
  definitions_.assign(n, InstId::none());
  user_.assign(n, InstId::none());
  user_region_.assign(n, RegionId::none());
  user_position_.assign(n, 0);
  emit_position_.assign(n, 0);
  depth_.assign(n, 0);
  conditional_.assign(n, false);
  count(function.body);
  plan(function.body);
}

void FoldPlan::count(RegionId region) {
  const std::vector<InstId>& insts = module_.regions[region].insts;
  for (size_t i = 0; i < insts.size(); ++i) {
    const Inst& inst = module_.insts[insts[i]];
    for (uint32_t r = 0; r < inst.result_count; ++r) definitions_[module_.result(inst, r).index()] = insts[i];
    const std::span<const ValueId> operands = module_.operands(inst);
    for (uint32_t o = 0; o < operands.size(); ++o) {
      if (!operands[o].is_local()) continue;
      const uint32_t v = operands[o].index();
      ++uses_[v];
      user_[v] = insts[i];
      user_region_[v] = region;
      user_position_[v] = i;
      if (options_.prints_twice != nullptr && options_.prints_twice(module_, function_, inst, o)) named_[v] = true;
    }
    for (RegionId r : module_.inst_regions(inst)) count(r);
  }
}

void FoldPlan::plan(RegionId region) {
  const std::vector<InstId>& insts = module_.regions[region].insts;
  // epochs[i]: number of walls before position i. Equal epochs: nothing between can change memory or the mask.
  std::vector<uint32_t> epochs(insts.size() + 1, 0);
  for (size_t i = 0; i < insts.size(); ++i) epochs[i + 1] = epochs[i] + (is_wall(op_row(module_.insts[insts[i]].op)) ? 1u : 0u);
  current_ = region;
  for (size_t i = insts.size(); i-- > 0;) {
    const Inst& inst = module_.insts[insts[i]];
    if (inst.result_count == 1) decide(inst, i, epochs);
  }
  for (InstId id : insts) {
    for (RegionId r : module_.inst_regions(module_.insts[id])) {
      plan(r);
    }
  }
}

void FoldPlan::decide(const Inst& inst, size_t position, const std::vector<uint32_t>& epochs) {
  const uint32_t v = inst.first_result.index();
  const OpRow& row = op_row(inst.op);
  emit_position_[v] = position;
  // Pointers are paths: printed wherever they are used, however often.
  if (inst.op == Op::at || inst.op == Op::at_byte || inst.op == Op::texel) {
    folded_[v] = true;
    return;
  }
  // `with` is two statements.
  if (uses_[v] != 1 || named_[v] || inst.op == Op::var || inst.op == Op::with || !may_move_within_epoch(row)) return;
  if (!function_.value_names[v].is_none() && !module_.names().text(function_.value_names[v]).empty()) return;
  const Inst& user = module_.insts[user_[v]];
  const bool pure = (row.traits & kPure) != 0;
  bool conditional = is_conditional(module_, function_, user);
  size_t at = user_position_[v];
  uint32_t depth = 1;
  if (!(user_region_[v] == current_)) return;
  // The user's own text may appear later still.
  if (user.result_count == 1 && folded_[user.first_result.index()]) {
    const uint32_t u = user.first_result.index();
    conditional = conditional || conditional_[u];
    if (user.op == Op::at || user.op == Op::at_byte || user.op == Op::texel) {
      // A path may be printed in several places: its index expressions need names unless it has one use in this region.
      if (uses_[u] != 1 || !(user_region_[u] == current_)) return;
      at = user_position_[u];
      const Inst& outer = module_.insts[user_[u]];
      if (outer.result_count == 1 && folded_[outer.first_result.index()]) {
        at = emit_position_[outer.first_result.index()];
        depth = depth_[outer.first_result.index()] + 1;
        if (outer.op == Op::at) return;
      }
    } else {
      at = emit_position_[u];
      depth = depth_[u] + 1;
    }
  }
  if (depth > options_.max_depth || (conditional && asks_lanes(row, inst.op))) return;
  conditional_[v] = conditional;
  if (!pure && epochs[at] != epochs[position + 1]) return;
  folded_[v] = true;
  emit_position_[v] = at;
  depth_[v] = depth;
}

}  // namespace carry::write::text
