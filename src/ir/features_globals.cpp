// Globals, entries and functions as a whole, and which globals operations use.
#include "ir/features_scanner.h"

namespace carry::ir {

namespace {

bool is_infinite_or_nan(const TypeTable& types, ValueId v) {
  if (!v.is_constant() || !has_odd_float(types, v.const_id())) return false;
  const Constant& c = types.constant(v.const_id());
  return (c.bits & (types.scalar_of(c.type) == ScalarKind::f16 ? 0x7fffu : 0x7fffffffu)) != 0;  // -0 is odd, too
}

}  // namespace

void Scanner::global(const Global& g) {
  loc_ = g.loc;
  if (g.kind != GlobalKind::variable) {
    type(g.type);
    const bool numbered = g.kind == GlobalKind::override_ && g.override_id != Id<TypeId>::kNone;
    if (numbered && !override_ids_.insert(g.override_id).second) add(Feature::shared_override_id);
    if (g.kind == GlobalKind::override_ && is_infinite_or_nan(m_.types(), g.init)) add(Feature::odd_override);
    return;
  }
  // A pointer type's own shape counts only where functions use it; the pointee's types always do.
  const Type& top = m_.types()[g.value_type];
  const bool shared = g.space == Space::workgroup && top.kind == TypeKind::array && top.count_override != Id<TypeId>::kNone;
  if (shared) add(Feature::override_shared_array);
  const uint8_t inner = type(shared ? top.element : g.value_type);
  if (g.layout && !m_.layouts_in_types) add(Feature::laid_out_pointer);
  if (g.layout && crossed_[g.layout.value]) add(Feature::crossed_array);
  if (g.layout && (inner & 2) != 0) add(Feature::bool_in_memory);
  if (g.layout && has_empty_struct(g.value_type)) add(Feature::empty_struct);
  if (g.space == Space::private_ && (inner & 4) != 0) add(Feature::resource_in_memory);
  // Constant tables (read only) may stay at module scope.
  if (g.space == Space::private_ && g.access != Access::read) add(Feature::private_global);
  if (g.space == Space::workgroup) add(Feature::workgroup_global);
  if (g.init.is_constant() && has_odd_float(m_.types(), g.init.const_id())) add(Feature::odd_global_init);
  if (m_.types().kind(g.value_type) == TypeKind::bindings) add(Feature::binding_array);
  if (g.space == Space::push) add(Feature::push_constant);
  if (g.space == Space::in || g.space == Space::out) add(Feature::io_globals);
  const bool counted = g.space == Space::private_ || g.space == Space::workgroup || g.space == Space::uniform;
  if (counted && has_large(g.value_type)) add(Feature::large_array);
  const bool outside = g.space == Space::private_ || g.space == Space::out || g.space == Space::in;
  if (outside && has_unsized(g.value_type)) add(Feature::unsized_array);
  if (g.space == Space::out && (g.flags & kGlobalInvariant) != 0 && g.builtin != BuiltinVar::position)
    add(Feature::invariant_output);
}

void Scanner::stage(const Function& f) {
  derivative_groups_ = derivative_groups_ || (f.entry.flags & kEntryQuadDerivatives) != 0;
  if ((f.entry.flags & (kEntrySubgroupUniform | kEntryMaximalReconvergence)) != 0) add(Feature::reconvergence);
  switch (f.entry.stage) {
    case Stage::vertex:
      // The text targets want a position from every vertex stage, also from one without inputs and outputs.
      if (f.result == TypeId::void_) add(Feature::io_globals);
      break;
    case Stage::geometry: add(Feature::geometry_stage); break;
    case Stage::tess_control:
    case Stage::tess_eval: add(Feature::tessellation_stage); break;
    case Stage::mesh:
    case Stage::task: add(Feature::mesh_stage); break;
    case Stage::raygen:
    case Stage::intersection:
    case Stage::any_hit:
    case Stage::closest_hit:
    case Stage::miss:
    case Stage::callable: add(Feature::ray_stage); break;
    default: break;
  }
}

void Scanner::function(const Function& f) {
  f_ = &f;
  parts_.clear();
  whole_.clear();
  loc_ = f.loc;
  if (f.is_entry) stage(f);
  if (m_.types().is_pointer(f.result) && (type(f.result) & 4) != 0) add(Feature::resource_in_memory);
  pointer_params_ = false;
  for (const Param& p : f.params) {
    const TypeId t = f.value_types[p.value.index()];
    if (!f.is_entry && m_.types().kind(t) == TypeKind::image) add(Feature::image_param);
    pointer_params_ = pointer_params_ || (!f.is_entry && m_.types().is_pointer(t) && m_.types()[t].space != Space::function);
  }
  if (pointer_params_) add(Feature::pointer_param);
  if (m_.types().is_pointer(f.result) || m_.types().is_handle(f.result)) add(Feature::resource_in_memory);
  for (TypeId t : f.value_types) {
    const bool aggregate = m_.types().kind(t) == TypeKind::struct_ || m_.types().kind(t) == TypeKind::array;
    if ((type(t) & 4) != 0 && aggregate) add(Feature::resource_in_memory);
  }
  region(f.body, {});
}

/// Only resources that functions use count.
void Scanner::binding(GlobalId id) {
  const Global& g = m_.globals[id];
  if (g.set == Id<TypeId>::kNone || g.binding == Id<TypeId>::kNone) return;
  const auto [found, is_new] = bindings_.try_emplace(uint64_t{g.set} << 32 | g.binding, id);
  if (!is_new && !(found->second == id)) add(Feature::shared_binding);
}

void Scanner::operands(const Inst& in) {
  for (ValueId v : m_.operands(in)) {
    if (!v.is_global()) continue;
    const Global& g = m_.globals[v.global_id()];
    if (is_subgroup_builtin(g.builtin)) add(Feature::subgroups);
    if (g.builtin == BuiltinVar::primitive_id && g.space == Space::in) add(Feature::primitive_id);
    if (g.kind != GlobalKind::variable) {
      if (g.kind == GlobalKind::override_) add(Feature::override_expr);
      // A variable may start with one: what is read from it is known at run time.
      if (in.op != Op::var || !m_.types().is_scalar(g.type)) add(Feature::override_read);
    } else if (g.space == Space::uniform || g.space == Space::storage || g.space == Space::push || g.space == Space::handle) {
      add(Feature::module_resource);
      binding(v.global_id());
    }
  }
}

}  // namespace carry::ir
