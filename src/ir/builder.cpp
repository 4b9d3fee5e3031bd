#include "ir/builder.h"

namespace carry::ir {

FunctionId add_function(Module& module, NameId name, TypeId result) {
  Function f;
  f.name = name;
  f.result = result;
  const FunctionId id = module.functions.add(std::move(f));
  module.function_order.push_back(id);
  return id;
}

ValueId add_param(Module& module, FunctionId function, TypeId type, ParamMode mode, NameId name) {
  Function& f = module.functions[function];
  const TypeId local_type = mode == ParamMode::value ? type : module.types().pointer(Space::function, Access::read_write, type);
  const ValueId value = ValueId::local(static_cast<uint32_t>(f.value_types.size()));
  f.value_types.push_back(local_type);
  f.value_names.push_back(name);
  f.params.push_back({value, mode, name});
  return value;
}

RegionId Builder::open_region(std::span<const TypeId> param_types) {
  const RegionId id = module_.regions.add(Region{});
  Region& region = module_.regions[id];
  region.param_count = static_cast<uint32_t>(param_types.size());
  for (size_t i = 0; i < param_types.size(); ++i) {
    const ValueId v = new_local(param_types[i]);
    if (i == 0) region.first_param = v;
  }
  stack_.push_back({id, {}});
  return id;
}

void Builder::open_existing(RegionId region) { stack_.push_back({region, {}}); }

RegionId Builder::close_region() {
  Open& open = stack_.back();
  const RegionId id = open.id;
  module_.regions[id].insts.assign(open.insts.begin(), open.insts.end());
  stack_.pop_back();
  return id;
}

bool Builder::terminated() const {
  const std::vector<InstId>& insts = stack_.back().insts;
  return !insts.empty() && has_trait(module_.insts[insts.back()].op, kTerminator);
}

ValueId Builder::new_local(TypeId type, NameId name) {
  Function& f = function();
  f.value_types.push_back(type);
  f.value_names.push_back(name);
  return ValueId::local(static_cast<uint32_t>(f.value_types.size() - 1));
}

InstId Builder::emit_full(Op op, std::span<const TypeId> result_types, std::span<const ValueId> operands,
                          std::span<const RegionId> regions, uint32_t payload, uint8_t flags) {
  Inst inst;
  inst.op = op;
  inst.flags = flags;
  inst.loc = loc_;
  inst.payload = payload;
  inst.operands = module_.add_operands(operands);
  inst.regions = module_.add_regions(regions);
  inst.result_count = static_cast<uint8_t>(result_types.size());
  for (size_t i = 0; i < result_types.size(); ++i) {
    const ValueId v = new_local(result_types[i]);
    if (i == 0) inst.first_result = v;
  }
  const InstId id = module_.insts.add(inst);
  stack_.back().insts.push_back(id);
  return id;
}

ValueId Builder::emit(Op op, TypeId type, std::span<const ValueId> operands, uint32_t payload, uint8_t flags) {
  if (type == TypeId::void_) {
    emit_full(op, {}, operands, {}, payload, flags);
    return ValueId::none();
  }
  const InstId id = emit_full(op, std::span<const TypeId>(&type, 1), operands, {}, payload, flags);
  return module_.insts[id].first_result;
}

ValueId Builder::var(TypeId type, ValueId init, NameId name) {
  const TypeId pointer = module_.types().pointer(Space::function, Access::read_write, type);
  const ValueId v = emit(Op::var, pointer, std::span<const ValueId>(&init, init ? 1 : 0));
  set_name(v, name);
  return v;
}

ValueId Builder::load(ValueId pointer, uint8_t flags) {
  const Type p = module_.types()[type_of(pointer)];
  const TypeId value = module_.types().kind(p.element) == TypeKind::atomic ? module_.types()[p.element].element : p.element;
  return emit(Op::load, value, {pointer}, 0, flags);
}

void Builder::store(ValueId pointer, ValueId value, uint8_t flags) {
  emit(Op::store, TypeId::void_, {pointer, value}, 0, flags);
}

TypeId Builder::step_pointer(TypeId pointer, uint32_t index) {
  TypeTable& types = module_.types();
  LayoutTable& layouts = module_.layouts();
  const Type p = types[pointer];
  const Type pointee = types[p.element];
  const TypeId part = types.part(p.element, index);
  if (!part) return TypeId::error;
  LayoutId layout = p.layout;
  if (layout && pointee.kind != TypeKind::bindings) {
    const Layout l = layouts[layout];
    switch (l.kind) {
      case Layout::Kind::struct_: layout = layouts.member_layout(layout, index); break;
      case Layout::Kind::array: layout = l.element; break;
      case Layout::Kind::matrix:
        layout = l.row_major ? layouts.strided_vector(part, l.stride) : layouts.scalar_or_vector(types, part);
        break;
      case Layout::Kind::vector:
      case Layout::Kind::scalar: layout = layouts.scalar_or_vector(types, part); break;
    }
  }
  return types.pointer(p.space, p.access, part, layout);
}

ValueId Builder::at(ValueId pointer, std::span<const ValueId> steps, uint8_t flags) {
  TypeId type = type_of(pointer);
  std::vector<ValueId> operands{pointer};
  for (ValueId step : steps) {
    uint32_t index = 0;
    if (step.is_constant()) index = static_cast<uint32_t>(module_.types().constant(step.const_id()).bits);
    type = step_pointer(type, index);
    operands.push_back(step);
  }
  return emit(Op::at, type, operands, 0, flags);
}

ValueId Builder::elem(ValueId value, uint32_t index) {
  const TypeId part = module_.types().part(type_of(value), index);
  return emit(Op::elem, part, {value, const_u32(index)});
}

ValueId Builder::elem_dynamic(ValueId vector, ValueId index) {
  return emit(Op::elem, module_.types().part(type_of(vector), 0), {vector, index});
}

ValueId Builder::with(ValueId value, uint32_t index, ValueId part) {
  return emit(Op::with, type_of(value), {value, const_u32(index), part});
}

ValueId Builder::make(TypeId type, std::span<const ValueId> parts) { return emit(Op::make, type, parts); }

ValueId Builder::shuffle(ValueId a, ValueId b, std::span<const uint32_t> components) {
  const ScalarKind s = module_.types().scalar_of(type_of(a));
  const TypeId type = module_.types().vector(s, static_cast<uint32_t>(components.size()));
  return emit(Op::shuffle, type, {a, b}, pack_shuffle(components));
}

TypeId Builder::result_by_rule(Op op, TypeId operand0) {
  return op_row(op).rule == TypeRule::bool0 ? module_.types().with_scalar(operand0, ScalarKind::bool_) : operand0;
}

}  // namespace carry::ir
