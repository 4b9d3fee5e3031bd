// Entry points: HLSL parameters and results, and GLSL structs and matrices, become one global a leaf.
#include "lower/by_columns.h"

namespace carry::lower {

namespace {

bool initialised_at_entry(const ModuleLowering& m, const Variable& v) {
  if (v.kind != VarKind::private_ && v.kind != VarKind::const_variable) return false;
  return v.init && !v.value && !m.facts.node(v.init).value;
}

/// HLSL: system values that are semantics like any other on this side of this stage (lang/hlsl/semantics.cpp).
bool is_plain(BuiltinVar v, Stage stage, Space space) {
  if (stage == Stage::vertex && space == Space::in) {
    return v == BuiltinVar::position || v == BuiltinVar::layer || v == BuiltinVar::viewport_index ||
           v == BuiltinVar::clip_distance || v == BuiltinVar::cull_distance;
  }
  if (stage == Stage::vertex) return v == BuiltinVar::instance_index;
  return stage == Stage::fragment && space == Space::in && v == BuiltinVar::instance_index;
}

bool is_void(TypeId t) { return t == TypeId::void_; }

}  // namespace

void FunctionLowering::run_initialisers(std::span<const VarId> used) {
  zero_shared(used);
  for (VarId id : used) {
    const Variable& v = facts_.variables[id];
    if (!initialised_at_entry(m_, v)) continue;
    const ValueId x = value(v.init);
    at(v.init);
    b_.store(m_.global_of(id), x);
  }
}

/// Shared variables that start as zero: the lanes share the work, then all wait.
void FunctionLowering::zero_shared(std::span<const VarId> used) {
  ValueId lane, lanes;
  for (VarId id : used) {
    const Variable& v = facts_.variables[id];
    if (v.kind != VarKind::shared || !v.init) continue;
    at(v.init);
    if (!lane) {
      lane = b_.load(m_.builtin_global(BuiltinVar::local_invocation_index, Space::in));
      lanes = b_.binary(Op::mul, m_.workgroup_size(*m_.current_entry, 0), m_.workgroup_size(*m_.current_entry, 1));
      lanes = b_.binary(Op::mul, lanes, m_.workgroup_size(*m_.current_entry, 2));
    }
    const ValueId memory = m_.global_of(id);
    const Type type = types_[types_[b_.type_of(memory)].element];
    const bool array = type.kind == TypeKind::array;
    ValueId count = u32(array ? type.count : 1);
    if (array && type.count_override != Id<TypeId>::kNone) count = to_u32(ValueId(type.count_override), TypeId::u32);
    const TypeId param[] = {TypeId::u32};
    ir::RegionId regions[2];
    regions[0] = b_.open_region(param);
    const ValueId i = b_.region_param(regions[0], 0);
    ir::RegionId branches[2];
    const ValueId more = b_.binary(Op::ult, i, count);
    branches[0] = b_.open_region();
    b_.yield();
    b_.close_region();
    branches[1] = b_.open_region();
    b_.terminator(Op::break_);
    b_.close_region();
    b_.emit_full(Op::if_, {}, std::span<const ValueId>(&more, 1), branches);
    const ValueId place = array ? b_.at(memory, {i}) : memory;
    b_.store(place, b_.zero(types_[b_.type_of(place)].element));
    b_.emit(Op::continue_, TypeId::void_, {i});
    b_.close_region();
    regions[1] = b_.open_region(param);
    const ValueId next = b_.binary(Op::add, b_.region_param(regions[1], 0), lanes);
    b_.emit(Op::next, TypeId::void_, {next});
    b_.close_region();
    b_.emit_full(Op::loop, {}, std::span<const ValueId>(&lane, 1), regions);
  }
  if (!lane) return;
  ir::BarrierInfo info;
  info.exec = info.scope = ir::Scope::workgroup;
  info.spaces = ir::kSpaceWorkgroup;
  b_.emit(Op::barrier, TypeId::void_, {}, info.pack());
}

InterfaceLeaf FunctionLowering::member_leaf(const InterfaceLeaf& outer, uint32_t member, uint32_t& index, uint32_t& location) {
  constexpr uint32_t kNone = Id<TypeId>::kNone;
  const StructDecl& decl = types_.struct_decl(outer.type);
  InterfaceLeaf leaf = outer;
  leaf.type = decl.members[member].type;
  leaf.name = decl.members[member].name;
  leaf.block = decl.name;
  leaf.component = kNone;
  const uint32_t id = types_[outer.type].struct_id.value;
  const bool known = id < facts_.members.size() && member < facts_.members[id].size();
  const bool named = known && (facts_.members[id][member].builtin != BuiltinVar::none ||
                               !m_.names.text(facts_.members[id][member].semantic).empty());
  if (known) {
    const MemberInfo& info = facts_.members[id][member];
    leaf.flags |= info.flags;
    leaf.builtin = info.builtin;
    leaf.component = info.component;
    if (info.index != kNone) leaf.index = info.index;
    if (info.decl) leaf.decl = info.decl;
    if (named) {
      leaf.semantic = info.semantic;
      leaf.semantic_index = info.semantic_index;
    }
    if (info.location != kNone) location = info.location;
  }
  if (!named) {
    leaf.semantic_index = index;
    index += m_.location_count(leaf.type);
  }
  leaf.location = location;
  if (location != kNone && leaf.builtin == BuiltinVar::none) location += m_.location_count(leaf.type);
  return leaf;
}

ValueId FunctionLowering::input(const InterfaceLeaf& leaf, NodeId n) {
  if (leaf.builtin != BuiltinVar::none && !(m_.hlsl() && is_plain(leaf.builtin, m_.current_entry->stage, Space::in)))
    return builtin_input(leaf, n);
  const Type t = types_[leaf.type];
  const bool nested_array = t.kind == TypeKind::array && !types_.is_scalar(t.element) && !types_.is_vector(t.element);
  std::vector<ValueId> parts;
  if (t.kind == TypeKind::struct_) {
    uint32_t index = leaf.semantic_index, location = leaf.location;
    for (uint32_t i = 0; i < types_.part_count(leaf.type); ++i)
      parts.push_back(input(member_leaf(leaf, i, index, location), n));
    return b_.make(ir(leaf.type), parts);
  }
  if (t.kind == TypeKind::matrix || nested_array) {
    InterfaceLeaf line = leaf;
    line.type = types_.part(leaf.type, 0);
    const uint32_t count = types_.part_count(leaf.type), step = m_.location_count(line.type);
    for (uint32_t i = 0; i < count; ++i) {
      parts.push_back(input(line, n));
      line.semantic_index += step;
      if (line.location != Id<TypeId>::kNone) line.location += step;
    }
    return b_.make(ir(leaf.type), parts);
  }
  return adapt(b_.load(m_.interface_global(leaf, Space::in)), ir(leaf.type));
}

void FunctionLowering::output(const InterfaceLeaf& leaf, ValueId value, NodeId n) {
  if (leaf.builtin != BuiltinVar::none && !(m_.hlsl() && is_plain(leaf.builtin, m_.current_entry->stage, Space::out)))
    return builtin_output(leaf, value, n);
  const Type t = types_[leaf.type];
  const bool nested_array = t.kind == TypeKind::array && !types_.is_scalar(t.element) && !types_.is_vector(t.element);
  if (t.kind == TypeKind::struct_) {
    uint32_t index = leaf.semantic_index, location = leaf.location;
    for (uint32_t i = 0; i < types_.part_count(leaf.type); ++i) {
      output(member_leaf(leaf, i, index, location), part(value, leaf.type, i), n);
    }
    return;
  }
  if (t.kind == TypeKind::matrix || nested_array) {
    InterfaceLeaf line = leaf;
    line.type = types_.part(leaf.type, 0);
    const uint32_t count = types_.part_count(leaf.type), step = m_.location_count(line.type);
    for (uint32_t i = 0; i < count; ++i) {
      output(line, part(value, leaf.type, i), n);
      line.semantic_index += step;
      if (line.location != Id<TypeId>::kNone) line.location += step;
    }
    return;
  }
  const ValueId global = m_.interface_global(leaf, Space::out);
  b_.store(global, adapt(value, types_[b_.type_of(global)].element));
}

ValueId FunctionLowering::builtin_input(const InterfaceLeaf& leaf, NodeId n) {
  BuiltinVar builtin = leaf.builtin;
  const Stage stage = m_.current_entry->stage;
  if (builtin == BuiltinVar::position && stage == Stage::fragment) builtin = BuiltinVar::frag_coord;
  if (builtin == BuiltinVar::clip_distance || builtin == BuiltinVar::cull_distance) return distance_input(leaf, n);
  if (builtin == BuiltinVar::workgroup_size) {
    const ValueId axes[] = {m_.workgroup_size(*m_.current_entry, 0), m_.workgroup_size(*m_.current_entry, 1),
                            m_.workgroup_size(*m_.current_entry, 2)};
    const TypeId three = types_.vector(ScalarKind::u32, 3);
    return convert(build(three, axes), three, leaf.type, n);
  }
  const ValueId global = m_.builtin_global(builtin, Space::in);
  TypeId type = types_[b_.type_of(global)].element;
  ValueId v;
  if (types_.kind(type) == TypeKind::array && types_.is_scalar(leaf.type)) {
    v = b_.load(b_.at(global, {u32(0)}));
    type = types_[type].element;
  } else {
    v = b_.load(global);
  }
  if (builtin == BuiltinVar::frag_coord && m_.options.position_w_reciprocal) {
    const ValueId w = b_.binary(Op::fdiv, b_.const_f32(1.0f), b_.elem(v, 3));
    v = b_.with(v, 3, w);
  }
  return convert(v, type, leaf.type, n);
}

void FunctionLowering::builtin_output(const InterfaceLeaf& leaf, ValueId value, NodeId n) {
  if (leaf.builtin == BuiltinVar::clip_distance || leaf.builtin == BuiltinVar::cull_distance) {
    return distance_output(leaf, value, n);
  }
  const ValueId global = m_.builtin_global(leaf.builtin, Space::out);
  TypeId type = types_[b_.type_of(global)].element;
  ValueId ptr = global;
  if (types_.kind(type) == TypeKind::array && types_.is_scalar(leaf.type)) {
    ptr = b_.at(global, {u32(0)});
    type = types_[type].element;
  }
  value = convert(value, leaf.type, type, n);
  if (leaf.builtin == BuiltinVar::position && m_.options.invert_y) {
    value = b_.with(value, 1, b_.unary(Op::fneg, b_.elem(value, 1)));
  }
  if (leaf.builtin == BuiltinVar::frag_depth) b_.function().entry.flags |= ir::kEntryWritesDepth;
  // HLSL has no word for an invariant position: `precise` asks that equal sources give equal positions.
  if ((leaf.flags & kVarPrecise) != 0)
    m_.module.globals[global.global_id()].flags |=
        ir::kGlobalPrecise | (leaf.builtin == BuiltinVar::position ? ir::kGlobalInvariant : 0u);
  b_.store(ptr, value);
}

namespace {

InterfaceLeaf leaf_of(const Variable& v) {
  InterfaceLeaf leaf;
  leaf.type = v.type;
  leaf.builtin = v.builtin;
  leaf.semantic = v.semantic;
  leaf.semantic_index = v.semantic_index;
  leaf.location = v.location;
  leaf.component = v.component;
  leaf.index = v.index;
  leaf.flags = v.flags;
  leaf.name = v.name;
  leaf.decl = v.decl;
  return leaf;
}

}  // namespace

void FunctionLowering::flattened_inputs(std::span<const VarId> used) {
  for (VarId id : used) {
    const Variable& v = facts_.variables[id];
    if (v.kind == VarKind::stage_in && m_.is_flattened(v)) b_.store(m_.global_of(id), input(leaf_of(v), v.decl));
  }
}

void FunctionLowering::flattened_outputs(std::span<const VarId> used) {
  for (VarId id : used) {
    const Variable& v = facts_.variables[id];
    if (v.kind == VarKind::stage_out && m_.is_flattened(v)) output(leaf_of(v), b_.load(m_.global_of(id)), v.decl);
  }
}

void FunctionLowering::lower_wrapper(const EntryFact& entry, std::span<const VarId> used) {
  const carry::Function& f = facts_.functions[entry.function];
  const ir::RegionId body = b_.open_region();
  at(f.decl);
  run_initialisers(used);
  flattened_inputs(used);
  InterfaceLeaf result_leaf;
  result_leaf.type = f.result;
  result_leaf.builtin = f.result_builtin;
  result_leaf.semantic = f.semantic;
  result_leaf.semantic_index = f.semantic_index;
  result_leaf.location = f.result_location;
  result_leaf.index = f.result_index;
  result_leaf.name = f.semantic ? f.semantic : f.name;
  result_leaf.decl = f.decl;
  if ((f.flags & kFuncPrecise) != 0) result_leaf.flags |= kVarPrecise;
  for (const Parameter& p : f.params) {
    const InterfaceLeaf leaf = leaf_of(facts_.variables[p.var]);
    if (p.mode != ParamMode::out) note_distances(leaf, Space::in);
    if (p.mode != ParamMode::in) note_distances(leaf, Space::out);
  }
  if (!is_void(f.result)) note_distances(result_leaf, Space::out);
  place_distances(f.decl);
  std::vector<ValueId> operands;
  std::vector<std::pair<InterfaceLeaf, ValueId>> outputs;
  for (const Parameter& p : f.params) {
    const Variable& v = facts_.variables[p.var];
    InterfaceLeaf leaf = leaf_of(v);
    if (leaf.decl) at(leaf.decl);
    if (!types_.is_numeric(v.type) && types_.kind(v.type) != TypeKind::struct_ && types_.kind(v.type) != TypeKind::array) {
      m_.unsupported(f.decl, "the entry parameter `" + std::string(m_.names.text(v.name)) + "` of its type");
      continue;
    }
    ValueId init;
    if (p.mode != ParamMode::out) init = input(leaf, f.decl);
    if (p.mode == ParamMode::in) {
      operands.push_back(init);
      continue;
    }
    const ValueId var = b_.var(ir(p.type), init, v.name);
    operands.push_back(var);
    outputs.emplace_back(leaf, var);
  }
  at(f.decl);
  const ValueId result = b_.emit(Op::call, ir(f.result), operands, m_.functions.at(entry.function.value).value);
  for (const auto& [leaf, var] : outputs) output(leaf, b_.load(var), f.decl);
  if (!is_void(f.result)) output(result_leaf, result, f.decl);
  flattened_outputs(used);
  b_.terminator(Op::return_);
  b_.close_region();
  b_.function().body = body;
}

}  // namespace carry::lower
