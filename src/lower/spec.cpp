// Specialization constants: overrides, and module-level instructions for what is computed from them.
#include "lower/function_lowering.h"

namespace carry::lower {

ir::ValueId ModuleLowering::spec_constant(VarId id) {
  if (const auto found = spec_.find(id.value); found != spec_.end()) return found->second;
  const Variable& v = facts.variables[id];
  ir::Global g;
  g.kind = ir::GlobalKind::override_;
  g.name = v.name;
  g.type = ir_type(v.type);
  g.override_id = v.constant_id;
  g.init = ir::ValueId::constant(v.value ? map_const(v.value) : types.zero(g.type));
  g.loc = v.decl ? loc_of(v.decl) : ir::LocId();
  const ir::ValueId value = ir::ValueId::global(module.add_global(std::move(g)));
  spec_[id.value] = value;
  return value;
}

/// Lowers into a scratch function, whose instructions then move to module level.
ir::ValueId ModuleLowering::module_value(NodeId n) {
  if (const auto found = module_values_.find(n.value); found != module_values_.end()) return found->second;
  if (const ConstId c = facts.node(n).value) return ir::ValueId::constant(map_const(c));
  ir::Function scratch;
  scratch.dead = true;
  scratch.result = TypeId::void_;
  const ir::FunctionId f = module.functions.add(std::move(scratch));
  FunctionLowering lowering(*this, f);
  lowering.module_level_ = true;
  const ir::RegionId region = lowering.b_.open_region();
  const ir::ValueId result = lowering.value(n);
  lowering.b_.terminator(Op::unreachable);
  lowering.b_.close_region();
  std::vector<ir::ValueId> moved(module.functions[f].value_types.size());
  const auto remap = [&](ir::ValueId v) { return v && v.is_local() ? moved[v.index()] : v; };
  std::vector<ir::InstId> list;
  list.swap(module.regions[region].insts);
  list.pop_back();
  for (ir::InstId id : list) {
    const Op op = module.insts[id].op;
    if (!has_trait(op, kPure) || op == Op::at) {
      unsupported(n, "this expression of specialization constants");
      return ir::ValueId::constant(types.zero(ir_type(facts.result_type(n))));
    }
    for (ir::ValueId& v : module.operands(module.insts[id])) v = remap(v);
    const uint32_t count = module.insts[id].result_count;
    const ir::ValueId first = module.insts[id].first_result;
    for (uint32_t i = 0; i < count; ++i) {
      ir::Global g;
      g.kind = ir::GlobalKind::result;
      g.type = module.functions[f].value_types[first.index() + i];
      g.loc = module.insts[id].loc;
      const ir::ValueId v = ir::ValueId::global(module.add_global(std::move(g)));
      moved[first.index() + i] = v;
      if (i == 0) module.insts[id].first_result = v;
    }
    module.module_insts.push_back(id);
  }
  const ir::ValueId value = remap(result);
  module_values_[n.value] = value;
  return value;
}

ir::ValueId ModuleLowering::workgroup_size(const EntryFact& entry, uint32_t axis) {
  const SizeValue& size = entry.workgroup[axis];
  if (!size.spec) return ir::ValueId::constant(types.constant_u32(size.value));
  const ir::ValueId value = spec_constant(size.spec);
  if (facts.variables[size.spec].type == TypeId::u32) return value;
  ir::ValueId& same_bits = workgroup_sizes_[value.index()];
  if (!same_bits) same_bits = module_inst(Op::bitcast, TypeId::u32, value);
  return same_bits;
}

ir::ValueId ModuleLowering::module_inst(Op op, TypeId type, ir::ValueId operand) {
  ir::Inst inst;
  inst.op = op;
  inst.result_count = 1;
  inst.operands = module.add_operands(std::span<const ir::ValueId>(&operand, 1));
  ir::Global g;
  g.kind = ir::GlobalKind::result;
  g.type = type;
  inst.first_result = ir::ValueId::global(module.add_global(std::move(g)));
  module.module_insts.push_back(module.insts.add(inst));
  return inst.first_result;
}

}  // namespace carry::lower
