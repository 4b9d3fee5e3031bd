#include <algorithm>

#include "ir/override_default.h"
#include "lower/module_lowering.h"

namespace carry::lower {

namespace {

bool is_object(const TypeTable& types, TypeId id) { return types.kind(id) == TypeKind::object; }

/// DXC's rule: the format that holds exactly what the source type says; three components have none.
ImageFormat natural_format(ScalarKind s, uint32_t components) {
  const uint32_t i = components == 1 ? 0 : components == 2 ? 1 : 2;
  if (components == 3) return ImageFormat::any;
  static constexpr ImageFormat kFloat[] = {ImageFormat::r32f, ImageFormat::rg32f, ImageFormat::rgba32f};
  static constexpr ImageFormat kHalf[] = {ImageFormat::r16f, ImageFormat::rg16f, ImageFormat::rgba16f};
  static constexpr ImageFormat kInt[] = {ImageFormat::r32i, ImageFormat::rg32i, ImageFormat::rgba32i};
  static constexpr ImageFormat kUint[] = {ImageFormat::r32ui, ImageFormat::rg32ui, ImageFormat::rgba32ui};
  switch (s) {
    case ScalarKind::f32: return kFloat[i];
    case ScalarKind::f16: return kHalf[i];
    case ScalarKind::i32: return kInt[i];
    case ScalarKind::u32: return kUint[i];
    case ScalarKind::i64: return i == 0 ? ImageFormat::r64i : ImageFormat::any;
    case ScalarKind::u64: return i == 0 ? ImageFormat::r64ui : ImageFormat::any;
    default: return ImageFormat::any;
  }
}

}  // namespace

TypeId ModuleLowering::ir_type(TypeId source) {
  const Type t = types[source];
  switch (t.kind) {
    case TypeKind::scalar:
      if (source == TypeId::lit_int) return TypeId::i32;
      return source == TypeId::lit_float ? TypeId::f32 : source;
    case TypeKind::vector:
      if (t.scalar == ScalarKind::lit_int) return types.vector(ScalarKind::i32, t.rows);
      return t.scalar == ScalarKind::lit_float ? types.vector(ScalarKind::f32, t.rows) : source;
    case TypeKind::matrix:
      // A matrix of one row or column is a vector (as DXC has it, in buffers too).
      if (t.columns == 1 || t.rows == 1) return types.vector(t.scalar, std::max(t.columns, t.rows));
      if (is_float(t.scalar)) return source;
      return types.array(types.vector(t.scalar, t.rows), t.columns);
    case TypeKind::array:
    case TypeKind::struct_:
    case TypeKind::object:
      if (is_reference(source)) return TypeId::u64;
      break;
    case TypeKind::texture: {
      Type n = t;
      n.rows = 4;
      return types.intern(n);
    }
    case TypeKind::image: {
      Type n = t;
      if (hlsl() && t.format == ImageFormat::any) n.format = natural_format(t.scalar, t.rows == 0 ? 4 : t.rows);
      n.rows = 4;
      return types.intern(n);
    }
    case TypeKind::combined:
      // Nothing samples a texel buffer: it is the texture alone.
      if (types[t.element].dim == Dim::buffer) return ir_type(t.element);
      return types.combined(ir_type(t.element));
    default: return source;
  }
  if (const auto found = type_map_.find(source.value); found != type_map_.end()) return found->second;
  TypeId result = source;
  if (t.kind == TypeKind::struct_) {
    result = map_struct(source);
  } else if (t.object == ObjectKind::constant_buffer || t.object == ObjectKind::texture_buffer) {
    result = ir_type(t.element);
  } else if (t.kind == TypeKind::object) {
    const LayoutRule rule = LayoutRule::std430_relaxed;
    result = types.pointer(Space::storage, object_access(source), object_memory(source), object_layout(source, rule));
  } else {
    const TypeId element = ir_type(t.element);
    if (t.count_override != Id<TypeId>::kNone) {
      const ir::ValueId size = module_value(facts.array_sizes[t.count_override]);
      const bool fixed = size.is_constant();
      if (!fixed) types.set_override_default(size.value, static_cast<uint32_t>(ir::default_bits(module, size).value_or(0)));
      result = fixed ? types.array(element, static_cast<uint32_t>(types.constant(size.const_id()).bits))
                     : types.array_override(element, size.value);
    } else if (element != t.element) {
      result = types.array(element, t.count);
    }
  }
  type_map_[source.value] = result;
  return result;
}

TypeId ModuleLowering::map_struct(TypeId source) {
  const StructDecl decl = types.struct_decl(source);
  bool changed = false;
  std::vector<Member> members = decl.members;
  for (Member& m : members) {
    const TypeId mapped = ir_type(m.type);
    if (mapped != m.type) changed = true;
    m.type = mapped;
    // HLSL's rows are the IR's columns, so what the source calls row-major is column-major here.
    if (hlsl() && m.major != Majorness::by_default) {
      m.major = flipped(m.major);
      changed = true;
    }
  }
  return changed ? types.make_struct(decl.name, std::move(members)) : source;
}

ConstId ModuleLowering::map_const(ConstId id) {
  const Constant c = types.constant(id);
  const TypeId mapped = ir_type(c.type);
  if (mapped == c.type) return id;
  if (c.kind == Constant::Kind::scalar) {
    if (c.type == TypeId::lit_float) return types.constant_f32(static_cast<float>(0.0));
    return types.constant_bits(mapped, c.bits);
  }
  if (c.kind == Constant::Kind::zero) return types.zero(mapped);
  if (types[c.type].kind == TypeKind::matrix && types[c.type].columns == 1) return map_const(types.part_of(id, 0));
  std::vector<ConstId> parts;
  const uint32_t count = types.part_count(c.type);
  parts.reserve(count);
  for (uint32_t i = 0; i < count; ++i) parts.push_back(map_const(types.part_of(id, i)));
  return types.constant_composite(mapped, parts);
}

bool ModuleLowering::default_row_major(const Variable& v) const {
  const bool written_row = (v.flags & kVarRowMajorDefault) != 0;
  if (!hlsl()) return written_row;
  return !(written_row || options.row_major_default);
}

TypeId ModuleLowering::reference_pointer(TypeId reference) {
  const TypeId block = types[reference].element;
  const auto found = facts.references.find(types[block].struct_id.value);
  const ReferenceFact fact = found == facts.references.end() ? ReferenceFact() : found->second;
  const TypeId memory = ir_type(block);
  const Access access = (fact.flags & kVarReadonly) != 0 ? Access::read : Access::read_write;
  return types.pointer(Space::physical, access, memory, buffer_layout(memory, fact.layout, false));
}

bool ModuleLowering::is_byte_buffer(TypeId object) const {
  const ObjectKind k = types[object].object;
  return is_object(types, object) && (k == ObjectKind::byte_address_buffer || k == ObjectKind::rw_byte_address_buffer ||
                                      k == ObjectKind::rov_byte_address_buffer);
}

TypeId ModuleLowering::object_array(TypeId object) {
  return types.array(is_byte_buffer(object) ? TypeId::u32 : types[object].element, 0);
}

TypeId ModuleLowering::object_memory(TypeId object) { return ir_type(object_array(object)); }

LayoutId ModuleLowering::object_layout(TypeId object, LayoutRule rule) {
  if (is_byte_buffer(object)) rule = LayoutRule::std430;
  return buffer_layout(object_array(object), rule, !options.row_major_default);
}

Access ModuleLowering::object_access(TypeId object) const {
  switch (types[object].object) {
    case ObjectKind::structured_buffer:
    case ObjectKind::byte_address_buffer:
    case ObjectKind::texture_buffer: return Access::read;
    default: return Access::read_write;
  }
}

}  // namespace carry::lower
