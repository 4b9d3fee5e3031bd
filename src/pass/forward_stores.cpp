/// Loads of local variables take the value stored last where it is known; `dead_code` then removes stores that nothing reads.
///   before  store %v, %x   %a = load %v   %b = add %a, 1u
///   after   store %v, %x   %b = add %x, 1u
#include "pass/forward_stores.h"

#include "pass/pass.h"

namespace carry::pass {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

namespace {

/// Accesses that mean memory, not just a value.
constexpr uint8_t kKept = ir::kVolatile | ir::kCoherent;

}  // namespace

bool ForwardStores::wants(ir::FunctionId id) {
  vars_.clear();
  known_.clear();
  find_vars(m().functions[id].body);
  return !vars_.empty();
}

void ForwardStores::find_vars(RegionId region) {
  for (ir::InstId id : m().regions[region].insts) {
    const Inst& in = m().insts[id];
    for (uint32_t i = 0; i < in.operands.count; ++i) {
      const ValueId v = m().operand(in, i);
      const bool plain = i == 0 && (in.op == Op::load || in.op == Op::store) && (in.flags & kKept) == 0;
      if (v.is_local() && !plain) vars_.erase(v.value);
    }
    for (RegionId r : m().inst_regions(in)) find_vars(r);
    // Its uses come later in the walk.
    if (in.op == Op::var) vars_.insert(in.first_result.value);
  }
}

void ForwardStores::forget_stored(RegionId region) {
  for (ir::InstId id : m().regions[region].insts) {
    const Inst& in = m().insts[id];
    if (in.op == Op::store) known_.erase(m().operand(in, 0).value);
    for (RegionId r : m().inst_regions(in)) forget_stored(r);
  }
}

bool ForwardStores::control(const Inst& inst) {
  // A loop's body runs again after its own stores; a case may be entered from the one before.
  if (inst.op != Op::if_) {
    for (uint32_t i = 0; i < inst.regions.count; ++i) forget_stored(m().inst_region(inst, i));
  }
  const std::vector<ValueId> operands = mapped_operands(inst);
  const std::unordered_map<uint32_t, ValueId> before = known_;
  std::vector<RegionId> regions;
  for (uint32_t i = 0; i < inst.regions.count; ++i) {
    known_ = before;
    regions.push_back(rewrite_region(m().inst_region(inst, i)));
  }
  known_ = before;
  for (uint32_t i = 0; i < inst.regions.count; ++i) forget_stored(m().inst_region(inst, i));
  b().set_loc(inst.loc);
  keep_with(inst, operands, regions);
  return true;
}

bool ForwardStores::visit(const Inst& inst) {
  if (has_trait(inst.op, kControl)) return control(inst);
  if (inst.op == Op::var) {
    const TypeId type = types()[result_type(inst)].element;
    const uint32_t var = inst.first_result.value;
    if (!considers(type)) vars_.erase(var);
    if (vars_.count(var) == 0) return false;
    known_.erase(var);
    if (inst.operands.count != 0) known_[var] = operand(inst, 0);
    return false;
  }
  if (inst.op != Op::load && inst.op != Op::store) return false;
  const ValueId pointer = m().operand(inst, 0);
  if (!pointer.is_local() || vars_.count(pointer.value) == 0) return false;
  if (inst.op == Op::store) {
    known_[pointer.value] = operand(inst, 1);
    return false;
  }
  const auto found = known_.find(pointer.value);
  if (found == known_.end()) return unknown_load(inst);
  replace(inst, 0, found->second);
  return true;
}

void forward_stores(PassContext& context) { ForwardStores(context.module).run(); }

}  // namespace carry::pass
