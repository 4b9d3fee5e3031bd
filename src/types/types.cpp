#include "types/types.h"

#include <cstring>

#include "base/hash.h"

namespace carry {

namespace {

constexpr std::string_view kScalarNames[] = {"bool", "i8",  "i16", "i32", "i64",     "u8",        "u16", "u32",
                                             "u64",  "f16", "f32", "f64", "lit_int", "lit_float", "none"};
constexpr uint8_t kScalarBits[] = {0, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 64, 0, 0, 0};

constexpr std::string_view kSpaceNames[] = {
    "function",       "private",       "workgroup", "in",          "out",           "uniform",
    "storage",        "push",          "handle",    "physical",    "task_payload",  "ray_payload",
    "ray_payload_in", "hit_attribute", "callable",  "callable_in", "shader_record", "none"};

constexpr ImageFormatRow kFormats[] = {
    {"any", 0, nullptr, ScalarKind::none, 4},
#define FORMAT(name, spirv, wgsl, scalar, components) {#name, spirv, wgsl, scalar, components},
#include "types/formats.def"
#undef FORMAT
};

uint64_t hash_type(const Type& t) {
  uint64_t h = static_cast<uint64_t>(t.kind) | static_cast<uint64_t>(t.scalar) << 8 | static_cast<uint64_t>(t.rows) << 16 |
               static_cast<uint64_t>(t.columns) << 24 | static_cast<uint64_t>(t.space) << 32 |
               static_cast<uint64_t>(t.access) << 40 | static_cast<uint64_t>(t.dim) << 48 |
               static_cast<uint64_t>(t.format) << 56;
  h = hash_mix(
      h, static_cast<uint64_t>(t.object) | static_cast<uint64_t>(t.flags) << 8 | static_cast<uint64_t>(t.element.value) << 16);
  h = hash_mix(h, static_cast<uint64_t>(t.count) | static_cast<uint64_t>(t.count_override) << 32);
  return hash_mix(h, static_cast<uint64_t>(t.struct_id.value) | static_cast<uint64_t>(t.layout.value) << 32);
}

uint64_t hash_constant(const Constant& c, std::span<const ConstId> parts) {
  uint64_t h = hash_mix(static_cast<uint64_t>(c.kind) | static_cast<uint64_t>(c.type.value) << 8, c.bits);
  for (ConstId p : parts) h = hash_mix(h, p.value);
  return h;
}

}  // namespace

uint32_t scalar_bits(ScalarKind s) { return kScalarBits[static_cast<size_t>(s)]; }
std::string_view scalar_name(ScalarKind s) { return kScalarNames[static_cast<size_t>(s)]; }
std::string_view space_name(Space s) { return kSpaceNames[static_cast<size_t>(s)]; }

ScalarKind to_unsigned(ScalarKind s) {
  return s >= ScalarKind::i8 && s <= ScalarKind::i64 ? static_cast<ScalarKind>(static_cast<int>(s) + 4) : s;
}
ScalarKind to_signed(ScalarKind s) { return is_unsigned_int(s) ? static_cast<ScalarKind>(static_cast<int>(s) - 4) : s; }

const ImageFormatRow& image_format_row(ImageFormat f) { return kFormats[static_cast<size_t>(f)]; }

ImageFormat find_image_format(std::string_view name) {
  for (size_t i = 0; i < static_cast<size_t>(ImageFormat::count_); ++i) {
    if (name == kFormats[i].name) return static_cast<ImageFormat>(i);
  }
  return ImageFormat::count_;
}

bool operator==(const Type& a, const Type& b) {
  return a.kind == b.kind && a.scalar == b.scalar && a.rows == b.rows && a.columns == b.columns && a.space == b.space &&
         a.access == b.access && a.dim == b.dim && a.format == b.format && a.object == b.object && a.flags == b.flags &&
         a.element == b.element && a.count == b.count && a.count_override == b.count_override && a.struct_id == b.struct_id &&
         a.layout == b.layout;
}

TypeTable::TypeTable() {
  Type t;
  intern(t);
  t.kind = TypeKind::void_;
  intern(t);
  for (int s = 0; s < static_cast<int>(ScalarKind::none); ++s) scalar(static_cast<ScalarKind>(s));
  t.kind = TypeKind::string;
  intern(t);
  t.kind = TypeKind::sampler;
  intern(t);
  t.flags = kSamplerComparison;
  intern(t);
  t.flags = 0;
  t.kind = TypeKind::accel;
  intern(t);
  t.kind = TypeKind::ray_query;
  const TypeId last = intern(t);
  CARRY_CHECK(last == TypeId::ray_query);
  static_cast<void>(last);
}

TypeId TypeTable::intern(const Type& type) {
  return type_index_.find_or_make(
      hash_type(type), [&](TypeId id) { return types_[id] == type; }, [&] { return types_.add(type); },
      [&](TypeId id) { return hash_type(types_[id]); });
}

TypeId TypeTable::scalar(ScalarKind s) {
  Type t;
  t.kind = TypeKind::scalar;
  t.scalar = s;
  t.rows = 1;
  return intern(t);
}

TypeId TypeTable::vector(ScalarKind s, uint32_t count) {
  if (count == 1) return scalar(s);
  Type t;
  t.kind = TypeKind::vector;
  t.scalar = s;
  t.rows = static_cast<uint8_t>(count);
  return intern(t);
}

TypeId TypeTable::matrix(ScalarKind s, uint32_t columns, uint32_t rows) {
  Type t;
  t.kind = TypeKind::matrix;
  t.scalar = s;
  t.columns = static_cast<uint8_t>(columns);
  t.rows = static_cast<uint8_t>(rows);
  return intern(t);
}

TypeId TypeTable::array(TypeId element, uint32_t count) {
  Type t;
  t.kind = TypeKind::array;
  t.element = element;
  t.count = count;
  return intern(t);
}

TypeId TypeTable::array_override(TypeId element, uint32_t override_value_id) {
  Type t;
  t.kind = TypeKind::array;
  t.element = element;
  t.count_override = override_value_id;
  return intern(t);
}

TypeId TypeTable::pointer(Space space, Access access, TypeId pointee, LayoutId layout) {
  Type t;
  t.kind = TypeKind::pointer;
  t.space = space;
  t.access = access;
  t.element = pointee;
  t.layout = layout;
  return intern(t);
}

TypeId TypeTable::texture(Dim dim, ScalarKind sampled, uint8_t flags, uint8_t components) {
  Type t;
  t.kind = TypeKind::texture;
  t.dim = dim;
  t.scalar = sampled;
  t.flags = flags;
  t.rows = components;
  return intern(t);
}

TypeId TypeTable::image(Dim dim, ImageFormat format, ScalarKind sampled, Access access, uint8_t flags, uint8_t components) {
  Type t;
  t.kind = TypeKind::image;
  t.dim = dim;
  t.format = format;
  t.scalar = sampled;
  t.access = access;
  t.flags = flags;
  t.rows = components;
  return intern(t);
}

TypeId TypeTable::combined(TypeId texture) {
  Type t;
  t.kind = TypeKind::combined;
  t.element = texture;
  return intern(t);
}

TypeId TypeTable::bindings(TypeId element, uint32_t count) {
  Type t;
  t.kind = TypeKind::bindings;
  t.element = element;
  t.count = count;
  return intern(t);
}

TypeId TypeTable::atomic(ScalarKind s) {
  Type t;
  t.kind = TypeKind::atomic;
  t.scalar = s;
  t.element = scalar(s);
  return intern(t);
}

TypeId TypeTable::object(ObjectKind kind, TypeId element) {
  Type t;
  t.kind = TypeKind::object;
  t.object = kind;
  t.element = element;
  return intern(t);
}

TypeId TypeTable::make_struct(NameId name, std::vector<Member> members) {
  Type t;
  t.kind = TypeKind::struct_;
  t.struct_id = structs_.add(StructDecl{name, std::move(members)});
  return intern(t);
}

bool TypeTable::is_handle(TypeId id) const {
  switch (kind(id)) {
    case TypeKind::texture:
    case TypeKind::image:
    case TypeKind::sampler:
    case TypeKind::combined:
    case TypeKind::accel:
    case TypeKind::ray_query: return true;
    default: return false;
  }
}

uint32_t TypeTable::component_count(TypeId id) const { return is_scalar(id) || is_vector(id) ? types_[id].rows : 0; }

TypeId TypeTable::with_scalar(TypeId id, ScalarKind s) {
  Type t = types_[id];
  t.scalar = s;
  return intern(t);
}

TypeId TypeTable::part(TypeId id, uint32_t index) {
  const Type t = types_[id];
  switch (t.kind) {
    case TypeKind::vector: return scalar(t.scalar);
    case TypeKind::matrix: return vector(t.scalar, t.rows);
    case TypeKind::array:
    case TypeKind::bindings: return t.element;
    case TypeKind::struct_: {
      const StructDecl& decl = structs_[t.struct_id];
      return index < decl.members.size() ? decl.members[index].type : TypeId::none();
    }
    default: return TypeId::none();
  }
}

uint32_t TypeTable::part_count(TypeId id) const {
  const Type& t = types_[id];
  switch (t.kind) {
    case TypeKind::vector: return t.rows;
    case TypeKind::matrix: return t.columns;
    case TypeKind::array: return t.count;
    case TypeKind::struct_: return static_cast<uint32_t>(structs_[t.struct_id].members.size());
    default: return 0;
  }
}

ConstId TypeTable::constant_bits(TypeId scalar_type, uint64_t bits) {
  const ScalarKind s = types_[scalar_type].scalar;
  const uint32_t width = s == ScalarKind::bool_ ? 1 : scalar_bits(s);
  if (width != 0 && width < 64) bits &= (uint64_t{1} << width) - 1;
  const Constant c{Constant::Kind::scalar, scalar_type, bits, {}};
  return const_index_.find_or_make(
      hash_constant(c, {}),
      [&](ConstId id) {
        const Constant& o = constants_[id];
        return o.kind == Constant::Kind::scalar && o.type == scalar_type && o.bits == bits;
      },
      [&] { return constants_.add(c); }, [&](ConstId id) { return hash_constant(constants_[id], parts(id)); });
}

ConstId TypeTable::constant_f32(float v) {
  uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return constant_bits(TypeId::f32, bits);
}

ConstId TypeTable::constant_composite(TypeId type, std::span<const ConstId> part_ids) {
  bool all_zero = true;
  for (ConstId p : part_ids) all_zero = all_zero && is_zero(p);
  if (all_zero) return zero(type);
  Constant c{Constant::Kind::composite, type, 0, {}};
  return const_index_.find_or_make(
      hash_constant(c, part_ids),
      [&](ConstId id) {
        const Constant& o = constants_[id];
        if (o.kind != Constant::Kind::composite || !(o.type == type) || o.parts.count != part_ids.size()) return false;
        for (size_t i = 0; i < part_ids.size(); ++i) {
          if (const_parts_[o.parts.first + i] != part_ids[i]) return false;
        }
        return true;
      },
      [&] {
        // `part_ids` may view our own pool: copy before it grows.
        const std::vector<ConstId> copy(part_ids.begin(), part_ids.end());
        c.parts = {static_cast<uint32_t>(const_parts_.size()), static_cast<uint32_t>(copy.size())};
        const_parts_.insert(const_parts_.end(), copy.begin(), copy.end());
        return constants_.add(c);
      },
      [&](ConstId id) { return hash_constant(constants_[id], parts(id)); });
}

ConstId TypeTable::zero(TypeId type) {
  if (is_scalar(type)) return constant_bits(type, 0);
  const Constant c{Constant::Kind::zero, type, 0, {}};
  return const_index_.find_or_make(
      hash_constant(c, {}),
      [&](ConstId id) { return constants_[id].kind == Constant::Kind::zero && constants_[id].type == type; },
      [&] { return constants_.add(c); }, [&](ConstId id) { return hash_constant(constants_[id], parts(id)); });
}

ConstId TypeTable::splat(TypeId vector_type, ConstId scalar) {
  const uint32_t count = component_count(vector_type);
  if (count <= 1) return scalar;
  const ConstId copies[4] = {scalar, scalar, scalar, scalar};
  return constant_composite(vector_type, std::span<const ConstId>(copies, count));
}

std::span<const ConstId> TypeTable::parts(ConstId id) const {
  const Constant& c = constants_[id];
  return {const_parts_.data() + c.parts.first, c.parts.count};
}

ConstId TypeTable::part_of(ConstId id, uint32_t index) {
  const Constant c = constants_[id];
  if (c.kind == Constant::Kind::composite) return index < c.parts.count ? const_parts_[c.parts.first + index] : ConstId::none();
  if (c.kind == Constant::Kind::zero) {
    const TypeId t = part(c.type, index);
    return t ? zero(t) : ConstId::none();
  }
  return ConstId::none();
}

bool TypeTable::is_zero(ConstId id) const {
  const Constant& c = constants_[id];
  return c.kind == Constant::Kind::zero || (c.kind == Constant::Kind::scalar && c.bits == 0);
}

}  // namespace carry
