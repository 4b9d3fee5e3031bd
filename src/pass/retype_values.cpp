#include "pass/retype_values.h"

namespace carry::pass {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

TypeId RetypeValues::mapped(TypeId type) {
  if (!type) return type;
  if (const auto found = types_seen_.find(type.value); found != types_seen_.end()) return found->second;
  const Type t = types()[type];
  TypeId result = type;
  switch (t.kind) {
    case TypeKind::scalar:
    case TypeKind::vector: result = plain_type(type); break;
    case TypeKind::array: {
      const TypeId element = mapped(t.element);
      const bool sized = t.count_override != Id<TypeId>::kNone;
      const uint32_t count = sized ? override_count(t.count_override) : t.count;
      if (sized && count == 0) {
        if (element != t.element) result = types().array_override(element, t.count_override);
      } else if (sized || element != t.element) {
        result = types().array(element, count);
      }
      break;
    }
    case TypeKind::struct_: result = map_struct(type); break;
    case TypeKind::pointer: {
      const TypeId element = t.layout ? t.element : mapped(t.element);
      if (element != t.element) result = types().pointer(t.space, t.access, element);
      break;
    }
    default: break;
  }
  types_seen_[type.value] = result;
  return result;
}

TypeId RetypeValues::map_struct(TypeId type) {
  std::vector<Member> members = types().struct_decl(type).members;
  bool changed = false;
  for (Member& member : members) {
    const TypeId to = mapped(member.type);
    changed = changed || to != member.type;
    member.type = to;
  }
  return changed ? types().make_struct(types().struct_decl(type).name, std::move(members)) : type;
}

ConstId RetypeValues::mapped_constant(ConstId id) {
  const Constant c = types().constant(id);
  const TypeId to = mapped(c.type);
  if (to == c.type) return id;
  if (c.kind == Constant::Kind::scalar) return plain_constant(id);
  if (c.kind != Constant::Kind::composite) return types().zero(to);
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < types().part_count(c.type); ++i) parts.push_back(mapped_constant(types().part_of(id, i)));
  return types().constant_composite(to, parts);
}

ValueId RetypeValues::value(ValueId old) {
  if (!old) return old;
  if (old.is_constant()) return ValueId::constant(mapped_constant(old.const_id()));
  if (old.is_global()) return global_value(old);
  return map(old);
}

std::vector<ValueId> RetypeValues::values(const Inst& inst) {
  std::vector<ValueId> result;
  for (uint32_t i = 0; i < inst.operands.count; ++i) result.push_back(value(inst, i));
  return result;
}

uint32_t RetypeValues::map_switch(const Inst& inst) {
  if (inst.op != Op::switch_) return inst.payload;
  ir::SwitchInfo info = m().switches[inst.payload];
  bool changed = false;
  for (ir::SwitchCase& c : info.cases) {
    for (ConstId& label : c.labels) {
      const ConstId to = mapped_constant(label);
      changed = changed || to != label;
      label = to;
    }
  }
  if (!changed) return inst.payload;
  m().switches.push_back(std::move(info));
  return static_cast<uint32_t>(m().switches.size() - 1);
}

ir::InstId RetypeValues::keep_mapped(const Inst& inst) {
  std::vector<RegionId> regions;
  const ir::LocId loc = b().loc();
  const std::vector<ValueId> operands = values(inst);
  for (uint32_t i = 0; i < inst.regions.count; ++i) regions.push_back(rewrite_region(m().inst_region(inst, i)));
  b().set_loc(loc);
  std::vector<TypeId> results;
  for (uint32_t i = 0; i < inst.result_count; ++i) results.push_back(mapped(result_type(inst, i)));
  const ir::InstId id = b().emit_full(inst.op, results, operands, regions, map_switch(inst), inst.flags);
  carry_names(inst, id);
  return id;
}

void RetypeValues::make_params() {
  ir::Function& f = new_function();
  for (size_t i = 0; i < old_function().params.size(); ++i) {
    const ir::Param& p = old_function().params[i];
    const ValueId v =
        b().new_local(mapped(old_function().value_types[p.value.index()]), old_function().value_names[p.value.index()]);
    f.params[i].value = v;
    replace(p.value, v);
  }
}

bool RetypeValues::visit(const Inst& inst) {
  if (!compute(inst)) keep_mapped(inst);
  return true;
}

void RetypeValues::retype_global(ir::Global& g) {
  if (g.layout) return;
  const TypeId to = mapped(g.value_type);
  if (to == g.value_type) return;
  g.value_type = to;
  g.type = g.kind == ir::GlobalKind::variable ? types().pointer(g.space, g.access, to) : to;
  if (g.init && g.init.is_constant()) g.init = ValueId::constant(mapped_constant(g.init.const_id()));
}

void RetypeValues::run_all() {
  for (ir::GlobalId id : m().global_order) retype_global(m().globals[id]);
  for (ir::FunctionId id : m().function_order) m().functions[id].result = mapped(m().functions[id].result);
  run();
}

}  // namespace carry::pass
