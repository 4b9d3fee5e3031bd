// Variables, loads, stores, access chains; and the two forms of a type: values have no layout, laid-out memory has, and there
// a bool is a 32-bit word.
#include <algorithm>

#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::Inst;
using ir::ValueId;
using spv::Capability;

bool Writer::root_is_wrapped(ValueId v) const { return v.is_global() && wrapped_[v.index()]; }

/// The pointer as memory instructions use it: a wrapped buffer's content is member 0 of its block.
SpvId Writer::pointer_value(ValueId v) {
  if (!root_is_wrapped(v)) return value(v);
  const SpvId zero = const_u32(0);
  return emit(spv::Op::OpAccessChain, ir_pointer_type(type_of(v)), {value(v), zero});
}

SpvId Writer::block_of(ValueId v) const {
  if (v.is_global()) {
    const bool array = m_.types().kind(m_.globals[v.global_id()].value_type) == TypeKind::bindings;
    return array || wrapped_[v.index()] ? 0 : blocks_[v.index()];
  }
  const auto found = block_pointees_.find(v.index());
  return found == block_pointees_.end() ? 0 : found->second;
}

/// A struct with the members of another that differs in its decorations only.
SpvId Writer::reform(SpvId from, SpvId to, TypeId struct_type, LayoutId layout) {
  const size_t count = m_.types().struct_decl(struct_type).members.size();
  std::vector<Word> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const SpvId member = type(m_.types().struct_decl(struct_type).members[i].type, m_.layouts().member_layout(layout, i));
    parts.push_back(emit(spv::Op::OpCompositeExtract, member, {from, i}));
  }
  return emit(spv::Op::OpCompositeConstruct, to, parts);
}

namespace {

/// What any address of such a value is a multiple of: its widest scalar.
uint32_t scalar_alignment(const TypeTable& types, TypeId id) {
  const Type& t = types[id];
  if (t.kind == TypeKind::array) return scalar_alignment(types, t.element);
  if (t.kind != TypeKind::struct_) return t.scalar == ScalarKind::bool_ ? 4 : std::max(scalar_bits(t.scalar) / 8, 1u);
  uint32_t align = 1;
  for (const Member& m : types.struct_decl(id).members) align = std::max(align, scalar_alignment(types, m.type));
  return align;
}

}  // namespace

/// Volatile is 1, Aligned 2 with the alignment behind it: memory behind an address has no other.
void Writer::memory_operands(std::vector<Word>& words, const Inst& inst, const Type& pointer) {
  const bool physical = pointer.space == Space::physical;
  const Word mask = ((inst.flags & ir::kVolatile) != 0 ? 1u : 0u) | (physical ? 2u : 0u);
  if (mask == 0) return;
  words.push_back(mask);
  if (physical) words.push_back(scalar_alignment(m_.types(), pointer.element));
}

void Writer::memory(const Inst& inst) {
  switch (inst.op) {
    case Op::var: {
      const SpvId pointer = type(type_of(inst.first_result));
      const SpvId id = new_id();
      vars_.inst(spv::Op::OpVariable, {pointer, id, static_cast<Word>(spv::StorageClass::Function)});
      finish(inst, id);
      if (inst.operands.count != 0) {
        const SpvId init = value(m_.operand(inst, 0));
        body_.inst(spv::Op::OpStore, {id, init});
      }
      return;
    }
    case Op::load: {
      const Type p = m_.types()[type_of(m_.operand(inst, 0))];
      const bool non_uniform = m_.operand(inst, 0).is_local() && non_uniform_[m_.operand(inst, 0).index()];
      const SpvId pointer = pointer_value(m_.operand(inst, 0));
      SpvId loaded = 0;
      const SpvId block = block_of(m_.operand(inst, 0));
      const SpvId type_id = block != 0 ? block : type(p.element, p.layout);
      std::vector<Word> words{pointer};
      memory_operands(words, inst, p);
      loaded = emit(spv::Op::OpLoad, type_id, words);
      if (non_uniform && !(inst.flags & ir::kNonUniform)) decorate(loaded, spv::Decoration::NonUniform);
      if (block != 0) loaded = reform(loaded, type(p.element, p.layout), p.element, p.layout);
      const SpvId plain = to_value_form(loaded, p.element, p.layout);
      finish(inst, plain);
      if (non_uniform) non_uniform_[inst.first_result.index()] = true;
      return;
    }
    case Op::store: {
      const Type p = m_.types()[type_of(m_.operand(inst, 0))];
      const SpvId pointer = pointer_value(m_.operand(inst, 0));
      SpvId stored = to_memory_form(value(m_.operand(inst, 1)), p.element, p.layout);
      if (const SpvId block = block_of(m_.operand(inst, 0))) stored = reform(stored, block, p.element, p.layout);
      std::vector<Word> words{pointer, stored};
      memory_operands(words, inst, p);
      return body_.inst(spv::Op::OpStore, words);
    }
    case Op::at: return access_chain(inst);
    case Op::array_length: return array_length(inst);
    default: {  // texel
      const std::span<const ValueId> ops = m_.operands(inst);
      const SpvId pointee = type(m_.types()[type_of(inst.first_result)].element);
      const SpvId image = value(ops[0]);
      const SpvId coordinate = value(ops[1]);
      const SpvId sample = ops.size() > 2 ? value(ops[2]) : const_u32(0);
      return finish(inst, emit(spv::Op::OpImageTexelPointer, pointer_type(spv::StorageClass::Image, pointee),
                               {image, coordinate, sample}));
    }
  }
}

void Writer::access_chain(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  std::vector<Word> words{value(ops[0])};
  TypeId t = m_.types()[type_of(ops[0])].element;
  bool wrapped = root_is_wrapped(ops[0]);
  if (wrapped && m_.types().kind(t) != TypeKind::bindings) {
    words.push_back(const_u32(0));
    wrapped = false;
  }
  for (size_t i = 1; i < ops.size(); ++i) {
    const TypeKind kind = m_.types().kind(t);
    if (kind == TypeKind::bindings) index_capabilities(inst, m_.types()[m_.types()[t].element], ops[i].is_constant());
    uint32_t index = 0;
    if (ops[i].is_constant()) index = static_cast<uint32_t>(m_.types().constant(ops[i].const_id()).bits);
    words.push_back(value(ops[i]));
    // The content of each buffer in an array of buffers sits in its block, too.
    if (kind == TypeKind::bindings && wrapped) {
      words.push_back(const_u32(0));
      wrapped = false;
    }
    t = m_.types().part(t, index);
  }
  const bool inherits = ops[0].is_local() && non_uniform_[ops[0].index()];
  SpvId pointer = ir_pointer_type(type_of(inst.first_result));
  const bool whole = ops.size() == 2 && ops[0].is_global() && !root_is_wrapped(ops[0]);
  if (whole && m_.types().kind(m_.types()[type_of(ops[0])].element) == TypeKind::bindings && blocks_[ops[0].index()] != 0) {
    block_pointees_[inst.first_result.index()] = blocks_[ops[0].index()];
    pointer = pointer_type(storage_class(m_.types()[type_of(ops[0])].space), blocks_[ops[0].index()]);
  }
  const SpvId result = emit(spv::Op::OpAccessChain, pointer, words);
  finish(inst, result);
  if (inherits) {
    if (!(inst.flags & ir::kNonUniform)) decorate(result, spv::Decoration::NonUniform);
    non_uniform_[inst.first_result.index()] = true;
  }
}

void Writer::index_capabilities(const Inst& inst, const Type& element, bool constant_index) {
  const bool non_uniform = (inst.flags & ir::kNonUniform) != 0;
  if (constant_index && !non_uniform) return;
  const Type* t = &element;
  if (t->kind == TypeKind::combined) t = &m_.types()[t->element];
  const Space space = m_.types()[type_of(m_.operand(inst, 0))].space;
  if (t->kind == TypeKind::image) {
    if (t->dim == Dim::buffer) {
      capability(non_uniform ? Capability::StorageTexelBufferArrayNonUniformIndexing
                             : Capability::StorageTexelBufferArrayDynamicIndexing);
    } else {
      capability(non_uniform ? Capability::StorageImageArrayNonUniformIndexing : Capability::StorageImageArrayDynamicIndexing);
    }
  } else if (t->kind == TypeKind::texture && t->dim == Dim::buffer) {
    capability(non_uniform ? Capability::UniformTexelBufferArrayNonUniformIndexing
                           : Capability::UniformTexelBufferArrayDynamicIndexing);
  } else if (t->kind == TypeKind::texture || t->kind == TypeKind::sampler) {
    capability(non_uniform ? Capability::SampledImageArrayNonUniformIndexing : Capability::SampledImageArrayDynamicIndexing);
  } else if (space == Space::storage) {
    capability(non_uniform ? Capability::StorageBufferArrayNonUniformIndexing : Capability::StorageBufferArrayDynamicIndexing);
  } else if (space == Space::uniform) {
    capability(non_uniform ? Capability::UniformBufferArrayNonUniformIndexing : Capability::UniformBufferArrayDynamicIndexing);
  }
  const bool texel_buffer = t->dim == Dim::buffer && (t->kind == TypeKind::image || t->kind == TypeKind::texture);
  if (non_uniform || texel_buffer) extension_before("SPV_EXT_descriptor_indexing", 0x00010500);
}

/// OpArrayLength wants the block and the member's number, so the last step of the pointer is taken back.
void Writer::array_length(const Inst& inst) {
  const ValueId pointer = m_.operand(inst, 0);
  SpvId block = 0;
  Word member = 0;
  if (pointer.is_global()) {
    block = value(pointer);
  } else {
    const Inst& chain = m_.insts[defs_[pointer.index()]];
    const std::span<const ValueId> ops = m_.operands(chain);
    block = value(ops[0]);
    size_t steps = ops.size() - 1;
    const bool in_bindings = m_.types().kind(m_.types()[type_of(ops[0])].element) == TypeKind::bindings;
    if (!root_is_wrapped(ops[0])) {
      member = static_cast<Word>(m_.types().constant(ops[steps].const_id()).bits);
      --steps;
    }
    if (in_bindings && steps == 1) {
      const SpvId pointer_to_block =
          pointer_type(storage_class(m_.types()[type_of(ops[0])].space), block_types_[ops[0].index()]);
      const SpvId index = value(ops[1]);
      block = emit(spv::Op::OpAccessChain, pointer_to_block, {block, index});
      if ((chain.flags & ir::kNonUniform) != 0) decorate(block, spv::Decoration::NonUniform);
    }
  }
  const SpvId length = emit(spv::Op::OpArrayLength, u32_type(), {block, member});
  if (type_of(inst.first_result) == TypeId::u32) return finish(inst, length);
  finish(inst, emit(spv::Op::OpBitcast, result_type(inst), {length}));
}

SpvId Writer::to_memory_form(SpvId v, TypeId id, LayoutId layout) {
  return same_form(id, layout) ? v : convert_form(v, id, layout, true);
}
SpvId Writer::to_value_form(SpvId v, TypeId id, LayoutId layout) {
  return same_form(id, layout) ? v : convert_form(v, id, layout, false);
}

SpvId Writer::convert_form(SpvId v, TypeId id, LayoutId layout, bool to_memory) {
  if (same_form(id, layout)) return v;
  const Type t = m_.types()[id];
  if (t.scalar == ScalarKind::bool_) {
    const TypeId word = m_.types().with_scalar(id, ScalarKind::u32);
    const SpvId zero = constant(m_.types().zero(word));
    if (!to_memory) return emit(spv::Op::OpINotEqual, type(id), {v, zero});
    const ConstId one = m_.types().splat(word, m_.types().constant_u32(1));
    const SpvId ones = constant(one);
    return emit(spv::Op::OpSelect, type(word), {v, ones, zero});
  }
  const bool is_struct = t.kind == TypeKind::struct_;
  const uint32_t count = m_.types().part_count(id);
  std::vector<Word> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const TypeId part = m_.types().part(id, i);
    const LayoutId part_layout = is_struct ? m_.layouts().member_layout(layout, i) : m_.layouts()[layout].element;
    const SpvId extracted = emit(spv::Op::OpCompositeExtract, to_memory ? type(part) : type(part, part_layout), {v, i});
    parts.push_back(convert_form(extracted, part, part_layout, to_memory));
  }
  return emit(spv::Op::OpCompositeConstruct, to_memory ? type(id, layout) : type(id), parts);
}

}  // namespace carry::write::spirv
