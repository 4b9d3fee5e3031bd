// Small pieces of values: constants, parts, leaves.
#include <algorithm>
#include <cstring>

#include "base/number_text.h"
#include "lower/function_lowering.h"

namespace carry::lower {

FunctionLowering::FunctionLowering(ModuleLowering& owner, ir::FunctionId function)
    : m_(owner), tree_(owner.tree), facts_(owner.facts), types_(owner.types), b_(owner.module, function) {}

bool FunctionLowering::fits(NodeId n, uint32_t below) {
  const uint32_t depth = b_.depth() + below;
  deepest_ = std::max(deepest_, depth);
  if (depth <= ir::kMaxSourceDepth) return true;
  m_.too_deep(n);
  return false;
}

ValueId FunctionLowering::unsupported(NodeId n, std::string_view what, TypeId type) {
  m_.unsupported(n, what);
  if (type == TypeId::void_ || !type) return {};
  return b_.zero(ir(type));
}

ValueId FunctionLowering::splat(ValueId scalar, uint32_t count) {
  if (count <= 1) return scalar;
  const TypeId type = types_.vector(types_.scalar_of(b_.type_of(scalar)), count);
  if (scalar.is_constant()) return b_.constant(types_.splat(type, scalar.const_id()));
  return b_.make(type, std::span<const ValueId>(&scalar, 1));
}

ValueId FunctionLowering::part(ValueId value, TypeId type, uint32_t i) {
  if (types_.is_scalar(type) || (is_matrix(type) && types_[type].columns == 1)) return value;
  if (value.is_constant()) return b_.constant(types_.part_of(value.const_id(), i));
  return b_.elem(value, i);
}

ValueId FunctionLowering::build(TypeId type, std::span<const ValueId> parts) {
  if (parts.size() == 1 && (types_.is_scalar(type) || b_.type_of(parts[0]) == type)) return parts[0];
  bool constant = true;
  for (ValueId p : parts) constant = constant && p.is_constant();
  // Constants of vectors take scalars only; a vector among the parts stays an instruction.
  if (constant && types_.is_vector(type)) constant = parts.size() == types_.part_count(type);
  if (!constant) return b_.make(type, parts);
  std::vector<ConstId> ids;
  ids.reserve(parts.size());
  for (ValueId p : parts) ids.push_back(p.const_id());
  return b_.constant(types_.constant_composite(type, ids));
}

ValueId FunctionLowering::number(TypeId type, double v) {
  const ScalarKind s = types_.scalar_of(type);
  uint64_t bits = 0;
  if (is_float(s)) {
    const float narrow = static_cast<float>(v);
    uint32_t bits32 = 0;
    std::memcpy(&bits32, &narrow, sizeof bits32);
    if (s == ScalarKind::f64)
      std::memcpy(&bits, &v, sizeof bits);
    else
      bits = s == ScalarKind::f16 ? f32_to_f16_bits(bits32) : bits32;
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(v));
  }
  const ConstId c = types_.constant_bits(types_.scalar(s), bits);
  return b_.constant(types_.is_vector(type) ? types_.splat(type, c) : c);
}

ValueId FunctionLowering::const_int(TypeId type, int64_t v) {
  const ConstId c = types_.constant_bits(types_.scalar(types_.scalar_of(type)), static_cast<uint64_t>(v));
  return b_.constant(types_.is_vector(type) ? types_.splat(type, c) : c);
}

ValueId FunctionLowering::spill(ValueId value) {
  if (value.is_constant()) return m_.constant_memory(value.const_id());
  return b_.var(b_.type_of(value), value);
}

ValueId FunctionLowering::to_u32(ValueId integer, TypeId type) { return convert_scalar_kind(integer, type, ScalarKind::u32); }

ValueId FunctionLowering::adapt(ValueId value, TypeId to) {
  const TypeId from = b_.type_of(value);
  if (from == to) return value;
  const bool from_shape = types_.is_scalar(from) || types_.is_vector(from);
  if (from_shape && types_.component_count(from) == types_.component_count(to)) {
    const ScalarKind s = types_.scalar_of(from), t = types_.scalar_of(to);
    if (t == ScalarKind::bool_ || s == ScalarKind::bool_ || scalar_bits(s) == scalar_bits(t)) {
      if (is_float(s) == is_float(t)) return convert_scalar_kind(value, from, t);
    }
  }
  const TypeKind k = types_.kind(from);
  const bool same_shape = k == types_.kind(to) && (k == TypeKind::array || k == TypeKind::struct_);
  if (same_shape && types_.part_count(from) == types_.part_count(to)) {
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < types_.part_count(from); ++i) parts.push_back(adapt(part(value, from, i), types_.part(to, i)));
    return b_.make(to, parts);
  }
  return value;
}

/// Storage images of one shape may differ in their format; what holds one has a fixed type.
bool FunctionLowering::same_image_type(ValueId value, TypeId want, NodeId n) {
  if (!value || types_.kind(want) != TypeKind::image || b_.type_of(value) == want) return true;
  m_.unsupported(n, "a storage image in place of one with another format");
  return false;
}

uint32_t FunctionLowering::scalar_count(TypeId t) const {
  const Type& type = types_[t];
  switch (type.kind) {
    case TypeKind::vector: return type.rows;
    case TypeKind::matrix: return static_cast<uint32_t>(type.rows) * type.columns;
    case TypeKind::array: return type.count * scalar_count(type.element);
    case TypeKind::struct_: {
      uint32_t total = 0;
      const std::span<const BitField> fields = facts_.bit_fields_of(type.struct_id);
      for (size_t i = 1; i < fields.size(); ++i) total += fields[i].member == fields[i - 1].member ? 1 : 0;
      for (const Member& m : types_.struct_decl(t).members) total += scalar_count(m.type);
      return total;
    }
    default: return 1;
  }
}

void FunctionLowering::leaves(ValueId value, TypeId type, std::vector<Leaf>& out) {
  const uint32_t count = types_.part_count(type);
  if (types_.is_scalar(type) || count == 0) {
    out.push_back({value, type});
    return;
  }
  const std::span<const BitField> fields = facts_.bit_fields_of(types_[type].struct_id);
  for (uint32_t i = 0; i < count; ++i) {
    const ValueId one = part(value, type, i);
    bool bits = false;
    for (const BitField& f : fields) {
      if (f.member != i) continue;
      out.push_back({extract_field(one, f.offset, f.width), types_.part(type, i)});
      bits = true;
    }
    if (!bits) leaves(one, types_.part(type, i), out);
  }
}

ValueId FunctionLowering::from_leaves(TypeId type, std::span<const Leaf> all, size_t& next) {
  const uint32_t count = types_.part_count(type);
  if (types_.is_scalar(type) || count == 0) {
    if (next >= all.size()) return b_.zero(ir(type));
    const Leaf leaf = all[next++];
    return types_.is_scalar(leaf.type) ? convert_scalar_kind(leaf.value, leaf.type, types_.scalar_of(ir(type))) : leaf.value;
  }
  std::vector<ValueId> parts;
  parts.reserve(count);
  const std::span<const BitField> fields = facts_.bit_fields_of(types_[type].struct_id);
  for (uint32_t i = 0; i < count; ++i) {
    const TypeId part_type = types_.part(type, i);
    ValueId unit;
    for (const BitField& f : fields) {
      if (f.member != i) continue;
      const ValueId field = from_leaves(part_type, all, next);
      unit = insert_field(unit ? unit : b_.zero(ir(part_type)), field, f.offset, f.width);
    }
    parts.push_back(unit ? unit : from_leaves(part_type, all, next));
  }
  return build(ir(type), parts);
}

}  // namespace carry::lower
