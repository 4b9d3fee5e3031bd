// Module variables, their decorations, entry points and execution modes.
#include <algorithm>

#include "ir/override_default.h"
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::BuiltinVar;
using ir::Stage;
using spv::Capability;
using spv::Decoration;
using spv::ExecutionMode;

namespace {

constexpr uint32_t kUnset = Id<TypeId>::kNone;

constexpr uint16_t kBuiltIns[] = {
    0xffff,
#define BUILTIN_VAR(name, type, stages, direction, spirv) spirv,
#include "types/builtin_vars.def"
#undef BUILTIN_VAR
};

spv::ExecutionModel execution_model(Stage s) {
  switch (s) {
    case Stage::vertex: return spv::ExecutionModel::Vertex;
    case Stage::tess_control: return spv::ExecutionModel::TessellationControl;
    case Stage::tess_eval: return spv::ExecutionModel::TessellationEvaluation;
    case Stage::geometry: return spv::ExecutionModel::Geometry;
    case Stage::fragment: return spv::ExecutionModel::Fragment;
    default: return spv::ExecutionModel::GLCompute;
  }
}

}  // namespace

void Writer::globals() {
  for (ir::GlobalId id : m_.global_order) {
    if (m_.globals[id].kind == ir::GlobalKind::override_) override_constant(id);
  }
  module_insts();
  for (ir::GlobalId id : m_.global_order) {
    if (m_.globals[id].kind == ir::GlobalKind::variable) variable(id);
  }
}

void Writer::variable(ir::GlobalId id) {
  const ir::Global& g = m_.globals[id];
  const bool buffer = g.space == Space::uniform || g.space == Space::storage || g.space == Space::push;
  SpvId content = 0;
  if (!buffer) {
    content = type(g.value_type);
  } else {
    // A buffer's content is a block. What is not a struct becomes the only member of one.
    const Type t = m_.types()[g.value_type];
    const TypeId inner = t.kind == TypeKind::bindings ? t.element : g.value_type;
    const bool old_block = g.space == Space::storage && !at_least(0x00010300);
    wrapped_[id.value] = m_.types().kind(inner) != TypeKind::struct_;
    // A block type of their own for buffers that are only read: a driver took loads from another buffer of the same block type
    // for loads that no store changes.
    const bool read_only = g.space == Space::storage && g.access == Access::read;
    const TypeKey key{inner.value, g.layout.value,
                      2u + (wrapped_[id.value] ? 1u : 0u) + (old_block ? 2u : 0u) + (read_only ? 4u : 0u)};
    SpvId& block = types_[key];
    if (block == 0) {
      SpvId made = 0;
      if (wrapped_[id.value]) {
        const SpvId member = type(inner, g.layout);
        made = new_id();
        global_words_.inst(spv::Op::OpTypeStruct, {made, member});
        member_decorate(made, 0, Decoration::Offset, {0});
        decorate_member_layout(made, 0, g.layout);
      } else {
        made = struct_type(inner, g.layout, false);
      }
      decorate(made, old_block ? Decoration::BufferBlock : Decoration::Block);
      types_[key] = made;
    }
    content = types_[key];
    block_types_[id.value] = content;
    if (!wrapped_[id.value]) blocks_[id.value] = content;
    if (t.kind == TypeKind::bindings) {
      const SpvId array = new_id();
      if (t.count == 0) {
        capability(Capability::RuntimeDescriptorArray);
        extension_before("SPV_EXT_descriptor_indexing", 0x00010500);
        global_words_.inst(spv::Op::OpTypeRuntimeArray, {array, content});
      } else {
        const SpvId length = const_u32(t.count);
        global_words_.inst(spv::Op::OpTypeArray, {array, content, length});
      }
      content = array;
    }
  }
  small_type_capabilities(g.value_type, g.space);
  const SpvId pointer = pointer_type(storage_class(g.space), content);
  std::vector<Word> words{pointer, 0, static_cast<Word>(storage_class(g.space))};
  if (g.init && g.init.is_constant()) words.push_back(constant(g.init.const_id()));
  const SpvId result = new_id();
  words[1] = result;
  global_ids_[id.value] = result;
  global_words_.inst(spv::Op::OpVariable, words);
  name(result, g.name);
  decorate_global(result, g);
}

void Writer::decorate_global(SpvId id, const ir::Global& g) {
  if (g.set != kUnset) decorate(id, Decoration::DescriptorSet, {g.set});
  if (g.binding != kUnset) decorate(id, Decoration::Binding, {g.binding});
  if (g.location != kUnset) decorate(id, Decoration::Location, {g.location});
  if (g.component != kUnset && g.component != 0) decorate(id, Decoration::Component, {g.component});
  if (g.index != kUnset && g.index != 0) decorate(id, Decoration::Index, {g.index});
  if (g.input_attachment != kUnset) decorate(id, Decoration::InputAttachmentIndex, {g.input_attachment});
  if (g.builtin != BuiltinVar::none) {
    decorate(id, Decoration::BuiltIn, {kBuiltIns[static_cast<size_t>(g.builtin)]});
    // Before SPIR-V 1.5 shaders other than geometry shaders write these by an extension.
    const bool by_extension = g.space == Space::out && !at_least(0x00010500) &&
                              (g.builtin == BuiltinVar::layer || g.builtin == BuiltinVar::viewport_index);
    if (by_extension) {
      capability(Capability::ShaderViewportIndexLayerEXT);
      extension("SPV_EXT_shader_viewport_index_layer");
    } else {
      builtin_capabilities(g.builtin);
    }
  }
  const std::pair<uint32_t, Decoration> flags[] = {{ir::kGlobalCoherent, Decoration::Coherent},
                                                   {ir::kGlobalVolatile, Decoration::Volatile},
                                                   {ir::kGlobalRestrict, Decoration::Restrict},
                                                   {ir::kGlobalAliased, Decoration::Aliased},
                                                   {ir::kGlobalFlat, Decoration::Flat},
                                                   {ir::kGlobalNoPerspective, Decoration::NoPerspective},
                                                   {ir::kGlobalCentroid, Decoration::Centroid},
                                                   {ir::kGlobalSample, Decoration::Sample},
                                                   {ir::kGlobalInvariant, Decoration::Invariant},
                                                   {ir::kGlobalPatch, Decoration::Patch},
                                                   {ir::kGlobalRelaxed, Decoration::RelaxedPrecision}};
  for (const auto& [flag, decoration] : flags) {
    if ((g.flags & flag) == 0) continue;
    if (flag == ir::kGlobalFlat && g.builtin != BuiltinVar::none && g.space == Space::out) continue;
    decorate(id, decoration);
    if (flag == ir::kGlobalSample) capability(Capability::SampleRateShading);
  }
  if (g.space == Space::storage || (g.space == Space::handle && g.access != Access::none)) {
    if (g.access == Access::read) decorate(id, Decoration::NonWritable);
    if (g.access == Access::write) decorate(id, Decoration::NonReadable);
  }
  Type t = m_.types()[g.value_type];
  while (t.kind == TypeKind::bindings) t = m_.types()[t.element];
  if (g.space == Space::handle && g.access == Access::none && t.kind == TypeKind::image) {
    if (t.access == Access::read) decorate(id, Decoration::NonWritable);
    if (t.access == Access::write) decorate(id, Decoration::NonReadable);
  }
}

void Writer::builtin_capabilities(BuiltinVar v) {
  switch (v) {
    case BuiltinVar::subgroup_size:
    case BuiltinVar::subgroup_invocation_id:
    case BuiltinVar::num_subgroups:
    case BuiltinVar::subgroup_id: capability(Capability::GroupNonUniform); break;
    case BuiltinVar::subgroup_eq_mask:
    case BuiltinVar::subgroup_ge_mask:
    case BuiltinVar::subgroup_gt_mask:
    case BuiltinVar::subgroup_le_mask:
    case BuiltinVar::subgroup_lt_mask: group_capability(Capability::GroupNonUniformBallot); break;
    case BuiltinVar::clip_distance: capability(Capability::ClipDistance); break;
    case BuiltinVar::cull_distance: capability(Capability::CullDistance); break;
    case BuiltinVar::sample_id:
    case BuiltinVar::sample_position: capability(Capability::SampleRateShading); break;
    case BuiltinVar::primitive_id: capability(Capability::Geometry); break;
    case BuiltinVar::layer: capability(at_least(0x00010500) ? Capability::ShaderLayer : Capability::Geometry); break;
    case BuiltinVar::viewport_index:
      capability(at_least(0x00010500) ? Capability::ShaderViewportIndex : Capability::MultiViewport);
      break;
    case BuiltinVar::base_vertex:
    case BuiltinVar::base_instance:
    case BuiltinVar::draw_index:
      capability(Capability::DrawParameters);
      extension_before("SPV_KHR_shader_draw_parameters", 0x00010300);
      break;
    case BuiltinVar::device_index:
      capability(Capability::DeviceGroup);
      extension_before("SPV_KHR_device_group", 0x00010300);
      break;
    case BuiltinVar::view_index:
      capability(Capability::MultiView);
      extension_before("SPV_KHR_multiview", 0x00010300);
      break;
    default: break;
  }
}

void Writer::collect_region_uses(ir::RegionId id, std::vector<bool>& used, std::vector<ir::FunctionId>& callees) {
  for (ir::InstId i : m_.regions[id].insts) {
    const ir::Inst& inst = m_.insts[i];
    for (ir::ValueId v : m_.operands(inst)) {
      if (v.is_global()) used[v.index()] = true;
    }
    if (inst.op == Op::call) callees.push_back(ir::FunctionId(inst.payload));
    for (ir::RegionId r : m_.inst_regions(inst)) collect_region_uses(r, used, callees);
  }
}

void Writer::collect_uses(ir::FunctionId id) {
  std::vector<bool> used(m_.globals.size(), false);
  std::vector<ir::FunctionId> callees;
  collect_region_uses(m_.functions[id].body, used, callees);
  for (ir::FunctionId callee : callees) {  // callees come first in function_order
    const std::vector<bool>& theirs = global_uses_[callee.value];
    for (size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i]) used[i] = true;
    }
  }
  global_uses_[id.value] = std::move(used);
}

void Writer::entry_points() {
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (f.dead || !f.is_entry) continue;
    entry_words_.begin(spv::Op::OpEntryPoint);
    entry_words_.word(static_cast<Word>(execution_model(f.entry.stage)));
    entry_words_.word(function_ids_[id.value]);
    entry_words_.string(m_.names().text(f.name));
    for (ir::GlobalId g : m_.global_order) {
      const ir::Global& global = m_.globals[g];
      if (global.kind != ir::GlobalKind::variable || !global_uses_[id.value][g.value]) continue;
      // Before 1.4 the interface lists inputs and outputs only, from 1.4 all variables that the entry uses.
      if (at_least(0x00010400) || global.space == Space::in || global.space == Space::out)
        entry_words_.word(global_ids_[g.value]);
    }
    entry_words_.end();
    execution_modes(f, function_ids_[id.value]);
  }
}

/// SPV_NV_compute_shader_derivatives; the KHR extension has the same numbers.
void Writer::derivative_group(SpvId entry, uint32_t x, uint32_t y) {
  constexpr uint32_t kGroupQuads = 5288, kGroupLinear = 5350;  // capabilities
  constexpr uint32_t kModeQuads = 5289, kModeLinear = 5290;    // execution modes
  const bool quads = x % 2 == 0 && y % 2 == 0;
  capability(static_cast<spv::Capability>(quads ? kGroupQuads : kGroupLinear));
  extension("SPV_NV_compute_shader_derivatives");
  mode_words_.inst(spv::Op::OpExecutionMode, {entry, quads ? kModeQuads : kModeLinear});
}

void Writer::execution_modes(const ir::Function& f, SpvId id) {
  const auto mode = [&](ExecutionMode m) { mode_words_.inst(spv::Op::OpExecutionMode, {id, static_cast<Word>(m)}); };
  if (f.entry.flags & ir::kEntrySubgroupUniform) {
    mode(ExecutionMode::SubgroupUniformControlFlowKHR);
    extension("SPV_KHR_subgroup_uniform_control_flow");
  }
  static constexpr std::pair<uint32_t, Word> kRoundEven[] = {
      {ir::kEntryRoundEven16, 16}, {ir::kEntryRoundEven32, 32}, {ir::kEntryRoundEven64, 64}};
  for (const auto& [flag, width] : kRoundEven) {
    if ((f.entry.flags & flag) == 0) continue;
    capability(spv::Capability::RoundingModeRTE);
    extension_before("SPV_KHR_float_controls", 0x00010400);
    mode_words_.inst(spv::Op::OpExecutionMode, {id, static_cast<Word>(ExecutionMode::RoundingModeRTE), width});
  }
  if (f.entry.flags & ir::kEntryMaximalReconvergence) {
    mode(static_cast<ExecutionMode>(6023));  // MaximallyReconvergesKHR
    extension("SPV_KHR_maximal_reconvergence");
  }
  if (f.entry.stage == Stage::fragment) {
    mode(ExecutionMode::OriginUpperLeft);
    if (f.entry.flags & ir::kEntryEarlyTests) mode(ExecutionMode::EarlyFragmentTests);
    if (f.entry.flags & ir::kEntryWritesDepth) mode(ExecutionMode::DepthReplacing);
    if (f.entry.flags & ir::kEntryDepthGreater) mode(ExecutionMode::DepthGreater);
    if (f.entry.flags & ir::kEntryDepthLess) mode(ExecutionMode::DepthLess);
    if (f.entry.flags & ir::kEntryDepthUnchanged) mode(ExecutionMode::DepthUnchanged);
    return;
  }
  if (f.entry.stage != Stage::compute) return;
  std::vector<Word> words{id, static_cast<Word>(ExecutionMode::LocalSize)};
  std::vector<SpvId> ids;
  bool fixed = true;
  for (ir::ValueId v : f.entry.workgroup_size) {
    uint32_t size = 1;
    if (v && v.is_constant()) {
      size = static_cast<uint32_t>(m_.types().constant(v.const_id()).bits);
    } else if (v && v.is_global()) {
      fixed = false;
      size = static_cast<uint32_t>(ir::default_bits(m_, v).value_or(1));
    }
    words.push_back(size);
    ids.push_back(v ? value(v) : const_u32(1));
  }
  mode_words_.inst(spv::Op::OpExecutionMode, words);
  if (derivatives_ && (f.entry.flags & ir::kEntryQuadDerivatives) != 0) derivative_group(id, words[2], words[3]);
  if (fixed) return;
  // The constant decorated WorkgroupSize wins over LocalSize and follows the specialization (SPIR-V 3.21).
  const SpvId type_id = type(m_.types().vector(ScalarKind::u32, 3));
  const SpvId size = new_id();
  global_words_.inst(spv::Op::OpSpecConstantComposite, {type_id, size, ids[0], ids[1], ids[2]});
  decorate(size, Decoration::BuiltIn, {static_cast<Word>(spv::BuiltIn::WorkgroupSize)});
}

}  // namespace carry::write::spirv
