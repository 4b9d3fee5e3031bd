// Types: the value form has no decorations, the memory form of a laid-out type carries Offset, ArrayStride, MatrixStride and
// majorness. Scalars, vectors and matrices have one form only (their strides sit on the member), bool in memory is u32.
#include "write/spirv/state.h"

namespace carry::write::spirv {

using spv::Capability;
using spv::Decoration;
using spv::StorageClass;

namespace {

uint64_t key64(uint64_t a, uint64_t b) { return a << 32 | b; }

spv::Dim spirv_dim(Dim d) {
  switch (d) {
    case Dim::d1: return spv::Dim::Dim1D;
    case Dim::d2: return spv::Dim::Dim2D;
    case Dim::d3: return spv::Dim::Dim3D;
    case Dim::cube: return spv::Dim::Cube;
    case Dim::buffer: return spv::Dim::Buffer;
    case Dim::subpass: return spv::Dim::SubpassData;
    case Dim::rect: return spv::Dim::Rect;
  }
  return spv::Dim::Dim2D;
}

}  // namespace

SpvId Writer::type(TypeId id, LayoutId layout, bool block) {
  if (layout && same_form(id, layout)) layout = LayoutId::none();
  const TypeKey key{id.value, layout.value, block ? 1u : 0u};
  if (const auto found = types_.find(key); found != types_.end()) return found->second;
  const SpvId result = make_type(id, layout, block);
  types_.emplace(key, result);
  return result;
}

bool Writer::same_form(TypeId id, LayoutId layout) {
  if (!layout) return true;
  const Type& t = m_.types()[id];
  switch (t.kind) {
    case TypeKind::scalar:
    case TypeKind::vector: return t.scalar != ScalarKind::bool_;
    case TypeKind::array:
    case TypeKind::struct_:
    case TypeKind::bindings: return false;
    default: return true;
  }
}

SpvId Writer::scalar_type(ScalarKind s) {
  const SpvId id = new_id();
  switch (s) {
    case ScalarKind::bool_: global_words_.inst(spv::Op::OpTypeBool, {id}); return id;
    case ScalarKind::f16: capability(Capability::Float16); break;
    case ScalarKind::f64: capability(Capability::Float64); break;
    case ScalarKind::i8:
    case ScalarKind::u8: capability(Capability::Int8); break;
    case ScalarKind::i16:
    case ScalarKind::u16: capability(Capability::Int16); break;
    case ScalarKind::i64:
    case ScalarKind::u64: capability(Capability::Int64); break;
    default: break;
  }
  if (is_float(s)) {
    global_words_.inst(spv::Op::OpTypeFloat, {id, scalar_bits(s)});
  } else {
    global_words_.inst(spv::Op::OpTypeInt, {id, scalar_bits(s), is_signed_int(s) ? 1u : 0u});
  }
  return id;
}

SpvId Writer::make_type(TypeId id, LayoutId layout, bool block) {
  const Type t = m_.types()[id];
  switch (t.kind) {
    case TypeKind::void_: {
      const SpvId result = new_id();
      global_words_.inst(spv::Op::OpTypeVoid, {result});
      return result;
    }
    case TypeKind::scalar: return layout && t.scalar == ScalarKind::bool_ ? type(TypeId::u32) : scalar_type(t.scalar);
    case TypeKind::atomic: return type(t.element);
    case TypeKind::vector: {
      if (layout && t.scalar == ScalarKind::bool_) return type(m_.types().vector(ScalarKind::u32, t.rows));
      const SpvId element = type(m_.types().scalar(t.scalar));
      const SpvId result = new_id();
      global_words_.inst(spv::Op::OpTypeVector, {result, element, t.rows});
      return result;
    }
    case TypeKind::matrix: {
      const SpvId column = type(m_.types().vector(t.scalar, t.rows));
      const SpvId result = new_id();
      global_words_.inst(spv::Op::OpTypeMatrix, {result, column, t.columns});
      return result;
    }
    case TypeKind::array:
    case TypeKind::bindings: return array_type(t, layout, block);
    case TypeKind::struct_: return struct_type(id, layout, block);
    case TypeKind::pointer: return ir_pointer_type(id);
    case TypeKind::texture:
    case TypeKind::image: {
      // SPIR-V knows neither access nor the number of components: one type for all of them.
      Type plain = t;
      plain.access = Access::none;
      plain.rows = 4;
      const TypeId one = m_.types().intern(plain);
      return one == id ? image_type(t) : type(one);
    }
    case TypeKind::combined: {
      const SpvId image = type(t.element);
      const SpvId result = new_id();
      global_words_.inst(spv::Op::OpTypeSampledImage, {result, image});
      return result;
    }
    case TypeKind::sampler: {
      if (id != TypeId::sampler) return type(TypeId::sampler);  // SPIR-V has one sampler type
      const SpvId result = new_id();
      global_words_.inst(spv::Op::OpTypeSampler, {result});
      return result;
    }
    default: break;
  }
  CARRY_CHECK(false);
  return type(TypeId::void_);
}

SpvId Writer::array_type(const Type& t, LayoutId layout, bool block) {
  const bool binding_array = t.kind == TypeKind::bindings;
  LayoutId element_layout;
  uint32_t stride = 0;
  if (layout && !binding_array) {
    element_layout = m_.layouts()[layout].element;
    stride = m_.layouts()[layout].stride;
  } else if (binding_array) {
    element_layout = layout;
  }
  const SpvId element = type(t.element, element_layout, binding_array && block);
  SpvId result = 0;
  if (t.count_override != Id<TypeId>::kNone) {
    const SpvId length = value(ir::ValueId(t.count_override));
    result = new_id();
    global_words_.inst(spv::Op::OpTypeArray, {result, element, length});
  } else if (t.count == 0) {
    if (binding_array) {
      capability(Capability::RuntimeDescriptorArray);
      extension_before("SPV_EXT_descriptor_indexing", 0x00010500);
    }
    result = new_id();
    global_words_.inst(spv::Op::OpTypeRuntimeArray, {result, element});
  } else {
    const SpvId length = const_u32(t.count);
    result = new_id();
    global_words_.inst(spv::Op::OpTypeArray, {result, element, length});
  }
  if (stride != 0) decorate(result, Decoration::ArrayStride, {stride});
  return result;
}

void Writer::decorate_member_layout(SpvId struct_id, uint32_t index, LayoutId layout) {
  // Matrix strides belong to the member, through any arrays around the matrix.
  while (m_.layouts()[layout].kind == Layout::Kind::array) layout = m_.layouts()[layout].element;
  const Layout& l = m_.layouts()[layout];
  if (l.kind != Layout::Kind::matrix) return;
  member_decorate(struct_id, index, l.row_major ? Decoration::RowMajor : Decoration::ColMajor);
  member_decorate(struct_id, index, Decoration::MatrixStride, {l.stride});
}

SpvId Writer::struct_type(TypeId id, LayoutId layout, bool block) {
  const StructDecl& decl = m_.types().struct_decl(id);
  std::vector<Word> words{0};
  for (uint32_t i = 0; i < decl.members.size(); ++i) {
    words.push_back(type(decl.members[i].type, layout ? m_.layouts().member_layout(layout, i) : LayoutId::none()));
  }
  const SpvId result = new_id();
  words[0] = result;
  global_words_.inst(spv::Op::OpTypeStruct, words);
  name(result, decl.name);
  for (uint32_t i = 0; i < decl.members.size(); ++i) {
    if (options_.names && decl.members[i].name) {
      name_words_.begin(spv::Op::OpMemberName);
      name_words_.word(result);
      name_words_.word(i);
      name_words_.string(m_.names().text(decl.members[i].name));
      name_words_.end();
    }
    if (!layout) continue;
    member_decorate(result, i, Decoration::Offset, {m_.layouts().member_offset(layout, i)});
    decorate_member_layout(result, i, m_.layouts().member_layout(layout, i));
  }
  if (block) decorate(result, Decoration::Block);
  return result;
}

SpvId Writer::image_type(const Type& t) {
  image_capabilities(t);
  const bool storage = t.kind == TypeKind::image;
  const SpvId sampled = type(m_.types().scalar(t.scalar));
  const SpvId result = new_id();
  global_words_.inst(spv::Op::OpTypeImage,
                     {result, sampled, static_cast<Word>(spirv_dim(t.dim)), (t.flags & kImageDepth) ? 1u : 0u,
                      (t.flags & kImageArrayed) ? 1u : 0u, (t.flags & kImageMultisampled) ? 1u : 0u,
                      storage || t.dim == Dim::subpass ? 2u : 1u, storage ? image_format_row(t.format).spirv : 0u});
  return result;
}

void Writer::image_capabilities(const Type& t) {
  const bool storage = t.kind == TypeKind::image;
  const bool arrayed = (t.flags & kImageArrayed) != 0;
  if (t.scalar == ScalarKind::i64 || t.scalar == ScalarKind::u64) {
    capability(Capability::Int64ImageEXT);
    extension("SPV_EXT_shader_image_int64");
  }
  switch (t.dim) {
    case Dim::d1: capability(storage ? Capability::Image1D : Capability::Sampled1D); break;
    case Dim::buffer: capability(storage ? Capability::ImageBuffer : Capability::SampledBuffer); break;
    case Dim::rect: capability(storage ? Capability::ImageRect : Capability::SampledRect); break;
    case Dim::subpass: capability(Capability::InputAttachment); break;
    case Dim::cube:
      if (arrayed) capability(storage ? Capability::ImageCubeArray : Capability::SampledCubeArray);
      break;
    default: break;
  }
  if (!storage) return;
  if (t.flags & kImageMultisampled) {
    capability(Capability::StorageImageMultisample);
    if (arrayed) capability(Capability::ImageMSArray);
  }
  switch (t.format) {
    case ImageFormat::any:
    case ImageFormat::rgba32f:
    case ImageFormat::rgba16f:
    case ImageFormat::r32f:
    case ImageFormat::rgba8:
    case ImageFormat::rgba8_snorm:
    case ImageFormat::rgba32i:
    case ImageFormat::rgba16i:
    case ImageFormat::rgba8i:
    case ImageFormat::r32i:
    case ImageFormat::rgba32ui:
    case ImageFormat::rgba16ui:
    case ImageFormat::rgba8ui:
    case ImageFormat::r32ui:
    case ImageFormat::r64i:
    case ImageFormat::r64ui: break;
    default: capability(Capability::StorageImageExtendedFormats); break;
  }
}

SpvId Writer::pointer_type(StorageClass storage, SpvId pointee) {
  const uint64_t key = key64(static_cast<uint64_t>(storage), pointee);
  if (const auto found = pointers_.find(key); found != pointers_.end()) return found->second;
  const SpvId id = new_id();
  global_words_.inst(spv::Op::OpTypePointer, {id, static_cast<Word>(storage), pointee});
  pointers_.emplace(key, id);
  return id;
}

SpvId Writer::ir_pointer_type(TypeId pointer) {
  const Type p = m_.types()[pointer];
  if (p.space == Space::physical) {
    capability(Capability::PhysicalStorageBufferAddresses);
    extension_before("SPV_KHR_physical_storage_buffer", 0x00010500);
    small_type_capabilities(p.element, Space::storage);
    physical_ = true;
  }
  return pointer_type(storage_class(p.space), type(p.element, p.layout));
}

StorageClass Writer::storage_class(Space space) const {
  switch (space) {
    case Space::function: return StorageClass::Function;
    case Space::private_: return StorageClass::Private;
    case Space::workgroup: return StorageClass::Workgroup;
    case Space::in: return StorageClass::Input;
    case Space::out: return StorageClass::Output;
    case Space::uniform: return StorageClass::Uniform;
    case Space::storage: return at_least(0x00010300) ? StorageClass::StorageBuffer : StorageClass::Uniform;
    case Space::push: return StorageClass::PushConstant;
    case Space::physical: return StorageClass::PhysicalStorageBuffer;
    default: return StorageClass::UniformConstant;
  }
}

SpvId Writer::function_type(SpvId result, std::span<const SpvId> params) {
  std::vector<SpvId> key{result};
  key.insert(key.end(), params.begin(), params.end());
  for (const auto& [k, id] : function_types_) {
    if (k == key) return id;
  }
  const SpvId id = new_id();
  global_words_.begin(spv::Op::OpTypeFunction);
  global_words_.word(id);
  global_words_.words(key);
  global_words_.end();
  function_types_.emplace_back(std::move(key), id);
  return id;
}

/// Struct of two members, as OpIAddCarry, OpUMulExtended and FrexpStruct return: never decorated, never in memory.
SpvId Writer::pair_struct(SpvId first, SpvId second) {
  const uint64_t key = key64(first, second);
  if (const auto found = pairs_.find(key); found != pairs_.end()) return found->second;
  const SpvId id = new_id();
  global_words_.inst(spv::Op::OpTypeStruct, {id, first, second});
  pairs_.emplace(key, id);
  return id;
}

/// Storage of 8- and 16-bit scalars needs a capability by space (SPV_KHR_16bit_storage, SPV_KHR_8bit_storage).
void Writer::small_type_capabilities(TypeId id, Space space) {
  const Type& t = m_.types()[id];
  if (t.kind == TypeKind::struct_) {
    for (const Member& member : m_.types().struct_decl(id).members) small_type_capabilities(member.type, space);
    return;
  }
  if (t.kind == TypeKind::array || t.kind == TypeKind::bindings) return small_type_capabilities(t.element, space);
  const uint32_t bits = m_.types().is_numeric(id) || t.kind == TypeKind::atomic ? scalar_bits(t.scalar) : 0;
  if (bits == 16) {
    extension_before("SPV_KHR_16bit_storage", 0x00010300);
    switch (space) {
      case Space::uniform: capability(Capability::UniformAndStorageBuffer16BitAccess); break;
      case Space::storage: capability(Capability::StorageBuffer16BitAccess); break;
      case Space::push: capability(Capability::StoragePushConstant16); break;
      case Space::in:
      case Space::out: capability(Capability::StorageInputOutput16); break;
      default: break;
    }
  } else if (bits == 8) {
    extension_before("SPV_KHR_8bit_storage", 0x00010500);
    switch (space) {
      case Space::uniform: capability(Capability::UniformAndStorageBuffer8BitAccess); break;
      case Space::storage: capability(Capability::StorageBuffer8BitAccess); break;
      case Space::push: capability(Capability::StoragePushConstant8); break;
      default: break;
    }
  }
}

}  // namespace carry::write::spirv
