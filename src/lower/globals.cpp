// Module-level variables: only those that reachable code names, in order of declaration.
#include "base/text_sink.h"
#include "lower/function_lowering.h"

namespace carry::lower {

namespace {

uint32_t global_flags(uint32_t v) {
  static constexpr std::pair<uint32_t, uint32_t> kMap[] = {{kVarCoherent, ir::kGlobalCoherent},
                                                           {kVarVolatile, ir::kGlobalVolatile},
                                                           {kVarRestrict, ir::kGlobalRestrict},
                                                           {kVarFlat, ir::kGlobalFlat},
                                                           {kVarNoPerspective, ir::kGlobalNoPerspective},
                                                           {kVarCentroid, ir::kGlobalCentroid},
                                                           {kVarSample, ir::kGlobalSample},
                                                           {kVarInvariant, ir::kGlobalInvariant},
                                                           {kVarPerVertex, ir::kGlobalPerVertex},
                                                           {kVarPerPrimitive, ir::kGlobalPerPrimitive},
                                                           {kVarPatch, ir::kGlobalPatch},
                                                           {kVarMediump, ir::kGlobalRelaxed},
                                                           {kVarPrecise, ir::kGlobalPrecise}};
  uint32_t flags = 0;
  for (const auto& [from, to] : kMap) {
    if ((v & from) != 0) flags |= to;
  }
  return flags;
}

}  // namespace

uint32_t ir_global_flags(uint32_t var_flags) { return global_flags(var_flags); }

/// Adds what [first, root] names to `vars`; new initialisers go to `pending`.
void ModuleLowering::mark_used(NodeId root, std::vector<bool>& vars, std::vector<NodeId>& pending) {
  for (uint32_t i = tree.first_in_subtree(root).value; i <= root.value; ++i) {
    VarId id = facts.variable_of(NodeId(i));
    if (!id) continue;
    if (facts.variables[id].owner) id = facts.variables[id].owner;
    if (vars[id.value]) continue;
    vars[id.value] = true;
    const Variable& v = facts.variables[id];
    if (v.init && (v.kind == VarKind::private_ || v.kind == VarKind::const_variable)) pending.push_back(v.init);
  }
}

std::vector<bool> ModuleLowering::used_by(FuncId entry) {
  std::vector<bool> vars(facts.variables.size(), false);
  std::vector<bool> seen(facts.functions.size(), false);
  std::vector<FuncId> work{entry};
  std::vector<NodeId> pending;
  seen[entry.value] = true;
  while (!work.empty() || !pending.empty()) {
    NodeId root;
    if (!work.empty()) {
      const FuncId f = work.back();
      work.pop_back();
      for (FuncId callee : facts.functions[f].callees) {
        if (!seen[callee.value]) work.push_back(callee);
        seen[callee.value] = true;
      }
      for (const Parameter& p : facts.functions[f].params) {
        if (p.default_value) mark_used(p.default_value, vars, pending);
      }
      root = facts.functions[f].body;
    } else {
      root = pending.back();
      pending.pop_back();
      for (uint32_t i = tree.first_in_subtree(root).value; i <= root.value; ++i) {
        const NodeFact& f = facts.node(NodeId(i));
        if (f.ref != Ref::call) continue;
        const Call& c = facts.calls[CallId(f.index)];
        if (c.kind == CallKind::user && c.function && !seen[c.function.value]) {
          seen[c.function.value] = true;
          work.push_back(c.function);
        }
      }
    }
    if (root) mark_used(root, vars, pending);
  }
  return vars;
}

void ModuleLowering::declare_globals() {
  std::vector<bool> any(facts.variables.size(), false);
  for (const EntryFact& e : facts.entries) {
    const std::vector<bool> used = used_by(e.function);
    for (size_t i = 0; i < used.size(); ++i) any[i] = any[i] || used[i];
  }
  for (VarId id : facts.globals) {
    if (!any[id.value]) continue;
    used_globals.push_back(id);
    const VarKind k = facts.variables[id].kind;
    if (k == VarKind::spec_constant) spec_constant(id);
  }
  for (VarId id : used_globals) {
    // The size of the workgroup is computed where it is asked for, from the entry's.
    if (facts.variables[id].builtin == BuiltinVar::workgroup_size && !facts.entries.empty()) continue;
    global_of(id);
  }
  mark_aliased();
}

/// Two resources at one place may be the same memory.
void ModuleLowering::mark_aliased() {
  std::unordered_map<uint64_t, ir::GlobalId> at;
  for (ir::GlobalId id : module.global_order) {
    const ir::Global& g = module.globals[id];
    if (g.binding == Id<TypeId>::kNone) continue;
    const auto [found, added] = at.emplace(static_cast<uint64_t>(g.set) << 32 | g.binding, id);
    if (added) continue;
    module.globals[id].flags |= ir::kGlobalAliased;
    module.globals[found->second].flags |= ir::kGlobalAliased;
  }
}

ir::ValueId ModuleLowering::global_of(VarId id) {
  if (const auto found = globals_.find(id.value); found != globals_.end()) return found->second;
  const ir::ValueId v = make_global(id);
  globals_[id.value] = v;
  return v;
}

ir::ValueId ModuleLowering::make_builtin(const Variable& v) {
  const Stage stage = current_entry != nullptr ? current_entry->stage : Stage::none;
  const std::string_view name = names.text(v.name);
  bool out = v.builtin == BuiltinVar::frag_depth;
  if (v.builtin == BuiltinVar::position || v.builtin == BuiltinVar::point_size || v.builtin == BuiltinVar::clip_distance ||
      v.builtin == BuiltinVar::cull_distance || v.builtin == BuiltinVar::layer || v.builtin == BuiltinVar::viewport_index) {
    out = stage != Stage::fragment;
  }
  if (v.builtin == BuiltinVar::sample_mask) out = name.size() < 2 || name.substr(name.size() - 2) != "In";
  const uint32_t size = types.kind(v.type) == TypeKind::array ? types[v.type].count : 0;
  const ir::ValueId global = builtin_global(v.builtin, out ? Space::out : Space::in, size);
  if (out) module.globals[global.global_id()].flags |= global_flags(v.flags) & (ir::kGlobalInvariant | ir::kGlobalPrecise);
  return global;
}

ir::ValueId ModuleLowering::make_stage_variable(const Variable& v) {
  const Space space = v.kind == VarKind::stage_in ? Space::in : Space::out;
  if (is_flattened(v)) {
    ir::Global g;
    g.name = v.name;
    g.loc = v.decl ? loc_of(v.decl) : ir::LocId();
    g.space = Space::private_;
    g.value_type = ir_type(v.type);
    return ir::ValueId::global(module.add_global(std::move(g)));
  }
  InterfaceLeaf leaf;
  leaf.type = v.type;
  leaf.location = v.location;
  leaf.component = v.component;
  leaf.index = v.index;
  leaf.flags = v.flags;
  leaf.name = v.name;
  leaf.decl = v.decl;
  return interface_global(leaf, space);
}

/// Space, access and layout of a resource whose content, below an array of resources, is `inner`.
void ModuleLowering::place_resource(VarId id, TypeId inner, ir::Global& g) {
  const Variable& v = facts.variables[id];
  switch (v.kind) {
    case VarKind::uniform_block:
      g.space = Space::uniform;
      g.layout = buffer_layout(inner, v.layout, default_row_major(v));
      if (v.register_class == RegisterClass::t) {
        g.space = Space::storage;
        g.access = Access::read;
      }
      break;
    case VarKind::storage_block:
      g.space = Space::storage;
      g.access = (v.flags & kVarReadonly) != 0    ? Access::read
                 : (v.flags & kVarWriteonly) != 0 ? Access::write
                                                  : Access::read_write;
      g.layout = buffer_layout(inner, v.layout, default_row_major(v));
      break;
    case VarKind::push_block:
      g.space = Space::push;
      g.layout = buffer_layout(inner, v.layout, default_row_major(v));
      break;
    case VarKind::storage_object:
      g.space = Space::storage;
      g.access = object_access(inner);
      g.value_type = object_memory(inner);
      g.layout = object_layout(inner, v.layout);
      if (is_byte_buffer(inner)) g.flags |= ir::kGlobalByteAddress;
      break;
    default:
      g.space = Space::handle;
      if (types.kind(inner) == TypeKind::accel) unsupported(v.decl, "acceleration structures");
      break;
  }
}

ir::ValueId ModuleLowering::make_global(VarId id) {
  const Variable& v = facts.variables[id];
  ir::Global g;
  g.name = v.name;
  g.flags = global_flags(v.flags);
  g.loc = v.decl ? loc_of(v.decl) : ir::LocId();
  TypeId inner = v.type;  // below a binding array
  switch (v.kind) {
    case VarKind::builtin: return make_builtin(v);
    case VarKind::stage_in:
    case VarKind::stage_out: return make_stage_variable(v);
    case VarKind::private_:
    case VarKind::local:
    case VarKind::const_variable:
      g.space = Space::private_;
      g.value_type = ir_type(v.type);
      if (v.init && facts.node(v.init).value) g.init = ir::ValueId::constant(map_const(facts.node(v.init).value));
      if (v.value) g.init = ir::ValueId::constant(map_const(v.value));
      return ir::ValueId::global(module.add_global(std::move(g)));
    case VarKind::shared:
      g.space = Space::workgroup;
      g.value_type = ir_type(v.type);
      return ir::ValueId::global(module.add_global(std::move(g)));
    case VarKind::uniform_block:
    case VarKind::storage_block:
    case VarKind::push_block:
    case VarKind::storage_object:
    case VarKind::handle: break;
    default: return {};
  }
  const bool is_array = types.kind(inner) == TypeKind::array;
  const uint32_t array_count = is_array ? types[inner].count : 0;
  if (is_array) {
    if (types[inner].count_override != Id<TypeId>::kNone)
      unsupported(v.decl, "an array of resources sized by a specialization constant");
    inner = types[inner].element;
    if (types.kind(inner) == TypeKind::array) unsupported(v.decl, "arrays of arrays of resources");
  }
  const ObjectKind object = types[inner].object;
  if (object == ObjectKind::constant_buffer || object == ObjectKind::texture_buffer) inner = types[inner].element;
  g.value_type = ir_type(inner);
  g.input_attachment = v.input_attachment;
  place_resource(id, inner, g);
  if ((v.kind == VarKind::uniform_block || v.kind == VarKind::storage_block || v.kind == VarKind::push_block)) {
    g.block = v.block_name;
    if (names.text(g.name).empty()) g.name = v.block_name;
    check_offsets(inner, g.layout, v.layout, id);
  }
  if (is_array) g.value_type = types.bindings(g.value_type, array_count);
  if (const auto found = bindings.find(id.value); found != bindings.end()) {
    g.set = found->second.set;
    g.binding = found->second.binding;
  }
  return ir::ValueId::global(module.add_global(std::move(g)));
}

ir::ValueId ModuleLowering::constant_memory(ConstId id) {
  if (const auto found = constant_memory_.find(id.value); found != constant_memory_.end()) return found->second;
  ir::Global g;
  g.name = names.intern("table");
  g.space = Space::private_;
  g.value_type = types.constant(id).type;
  g.init = ir::ValueId::constant(id);
  const ir::ValueId v = ir::ValueId::global(module.add_global(std::move(g)));
  constant_memory_[id.value] = v;
  return v;
}

ir::ValueId ModuleLowering::counter_of(VarId id) {
  if (const auto found = counters_.find(id.value); found != counters_.end()) return found->second;
  const ir::ValueId buffer = global_of(id);
  ir::Global g;
  TextSink name;
  name << names.text(facts.variables[id].name) << "_counter";
  g.name = names.intern(name.text());
  g.space = Space::storage;
  g.access = Access::read_write;
  g.value_type = TypeId::u32;
  g.layout = layouts.scalar_or_vector(types, TypeId::u32);
  const Type of = types[facts.variables[id].type];
  if (of.kind == TypeKind::array) g.value_type = types.bindings(TypeId::u32, of.count);
  g.counter_of = buffer.global_id();
  g.set = bindings[id.value].set;
  g.binding = bindings[id.value].counter_binding;
  const ir::ValueId v = ir::ValueId::global(module.add_global(std::move(g)));
  counters_[id.value] = v;
  return v;
}

}  // namespace carry::lower
