// Types and constants, interned: equality is integer equality. One TypeTable per Compilation, shared by checker, IR and
// writers; it only grows, so a cloned ir::Module keeps using it. Structs are nominal. Not thread-safe.
//
// Scalars `lit_int`, `lit_float` and matrices of non-floats exist for the HLSL checker only: the IR verifier rejects them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/intern_table.h"
#include "base/names.h"
#include "base/store.h"

namespace carry {

struct TypeId;
struct LayoutId : Id<LayoutId> {
  using Id::Id;
};
struct StructId : Id<StructId> {
  using Id::Id;
};
/// Tagged operand of the IR (ir/module.h): array sizes may name an override.
struct ConstId : Id<ConstId> {
  using Id::Id;
};

enum class ScalarKind : uint8_t {
  bool_,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64,
  lit_int,
  lit_float,  // HLSL literals before they meet a type
  none
};

[[nodiscard]] constexpr bool is_signed_int(ScalarKind s) {
  return (s >= ScalarKind::i8 && s <= ScalarKind::i64) || s == ScalarKind::lit_int;
}
[[nodiscard]] constexpr bool is_unsigned_int(ScalarKind s) { return s >= ScalarKind::u8 && s <= ScalarKind::u64; }
[[nodiscard]] constexpr bool is_int(ScalarKind s) { return is_signed_int(s) || is_unsigned_int(s); }
[[nodiscard]] constexpr bool is_float(ScalarKind s) {
  return (s >= ScalarKind::f16 && s <= ScalarKind::f64) || s == ScalarKind::lit_float;
}
/// Width in bits; bool and literals have none (0).
[[nodiscard]] uint32_t scalar_bits(ScalarKind s);
/// "u32"; the IR's text name.
[[nodiscard]] std::string_view scalar_name(ScalarKind s);
[[nodiscard]] ScalarKind to_unsigned(ScalarKind s);
[[nodiscard]] ScalarKind to_signed(ScalarKind s);

enum class TypeKind : uint8_t {
  error,  // after a diagnostic: keeps quiet
  void_,
  scalar,
  vector,    // scalar, rows = 2..4
  matrix,    // scalar, columns x rows: `columns` vectors of `rows` components (mat4x3 = 4 columns of 3)
  array,     // element; count; 0 = runtime-sized; or count_override
  struct_,   // struct_id
  pointer,   // space, access, element = pointee, layout (none where the space has none)
  texture,   // image fields
  image,     // storage image: image fields with format and access
  sampler,   // comparison flag in `flags`
  combined,  // element = texture type
  bindings,  // binding array: element; count 0 = unbounded
  atomic,    // element scalar (passes only)
  accel,
  ray_query,
  object,  // HLSL objects before lowering: object kind, element
  string,  // HLSL string literals (printf, attributes)
  count_
};

enum class Space : uint8_t {
  function,
  private_,
  workgroup,
  in,
  out,
  uniform,
  storage,
  push,
  handle,
  physical,
  task_payload,
  ray_payload,
  ray_payload_in,
  hit_attribute,
  callable,
  callable_in,
  shader_record,
  none
};
[[nodiscard]] std::string_view space_name(Space s);
/// uniform, storage, push, physical: pointers carry a layout.
[[nodiscard]] constexpr bool space_has_layout(Space s) {
  return s == Space::uniform || s == Space::storage || s == Space::push || s == Space::physical;
}

enum class Access : uint8_t { none, read, write, read_write };

enum class Dim : uint8_t { d1, d2, d3, cube, buffer, subpass, rect };

/// Formats of storage images, GLSL names ("rgba8", "r32ui"); `any` = unknown format.
enum class ImageFormat : uint8_t {
  any,
#define FORMAT(name, spirv, wgsl, scalar, components) name,
#include "types/formats.def"
#undef FORMAT
  count_
};
struct ImageFormatRow {
  const char* name;
  uint16_t spirv;     // ImageFormat enumerant
  const char* wgsl;   // texel format name, or nullptr
  ScalarKind scalar;  // type of a loaded component
  uint8_t components;
};
[[nodiscard]] const ImageFormatRow& image_format_row(ImageFormat f);
[[nodiscard]] ImageFormat find_image_format(std::string_view name);  // count_ when unknown

enum TypeFlags : uint8_t {
  kImageArrayed = 1,
  kImageMultisampled = 2,
  kImageDepth = 4,  // depth_2d ...: sampled with compare
  kSamplerComparison = 8,
  kLayoutExplicit = 16,
  kCoopMatrix = 32,
  kVectorPacked = 64,  // passes only: MSL packed_float3 in memory; a load gives, and a store takes, the plain vector
};

enum class ObjectKind : uint8_t {
  none,
  constant_buffer,
  texture_buffer,
  structured_buffer,
  rw_structured_buffer,
  append_buffer,
  consume_buffer,
  byte_address_buffer,
  rw_byte_address_buffer,
  rov_structured_buffer,
  rov_byte_address_buffer,
  input_patch,
  output_patch,
  point_stream,
  line_stream,
  triangle_stream,
  feedback_texture,
  buffer_reference  // GLSL: an address; `element` is the struct it points to
};

struct TypeId : Id<TypeId> {
  using Id::Id;
  // Fixed ids: the table's constructor makes them in this order (types.cpp checks it).
  static const TypeId error, void_, bool_, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, lit_int, lit_float, string,
      sampler, sampler_cmp, accel, ray_query;
};
inline constexpr TypeId TypeId::error{0u}, TypeId::void_{1u}, TypeId::bool_{2u}, TypeId::i8{3u}, TypeId::i16{4u},
    TypeId::i32{5u}, TypeId::i64{6u}, TypeId::u8{7u}, TypeId::u16{8u}, TypeId::u32{9u}, TypeId::u64{10u}, TypeId::f16{11u},
    TypeId::f32{12u}, TypeId::f64{13u}, TypeId::lit_int{14u}, TypeId::lit_float{15u}, TypeId::string{16u}, TypeId::sampler{17u},
    TypeId::sampler_cmp{18u}, TypeId::accel{19u}, TypeId::ray_query{20u};

/// One interned type. Fields that a kind does not use are zero/none.
struct Type {
  TypeKind kind = TypeKind::error;
  ScalarKind scalar = ScalarKind::none;  // scalar, vector, matrix, atomic; sampled scalar of texture and image
  uint8_t rows = 0;                      // vector size; matrix rows; texel components of HLSL textures (1..4, else 4)
  uint8_t columns = 0;                   // matrix only
  Space space = Space::none;
  Access access = Access::none;  // pointer, image
  Dim dim = Dim::d2;
  ImageFormat format = ImageFormat::any;
  ObjectKind object = ObjectKind::none;
  uint8_t flags = 0;                            // TypeFlags
  TypeId element;                               // array, pointer, combined, bindings, object, atomic
  uint32_t count = 0;                           // array, bindings
  uint32_t count_override = Id<TypeId>::kNone;  // array sized by an override: the raw ValueId
  StructId struct_id;
  LayoutId layout;
  friend bool operator==(const Type& a, const Type& b);
};

/// What the source wrote at a member, for building layouts and reflection. The IR does not print it.
enum class Majorness : uint8_t { by_default, row, column };
struct Member {
  NameId name;
  TypeId type;
  Majorness major = Majorness::by_default;
  uint32_t offset = Id<TypeId>::kNone;  // layout(offset=), packoffset: bytes
  uint32_t align = 0;                   // layout(align=)
};
struct StructDecl {
  NameId name;  // empty text for anonymous
  std::vector<Member> members;
};

// ---- constants ----

/// Interned: type + bits (scalars), or type + parts (vectors, matrices by column, arrays, structs), or the zero of a type.
struct Constant {
  enum class Kind : uint8_t { scalar, composite, zero } kind = Kind::scalar;
  TypeId type;
  uint64_t bits = 0;     // scalar: low bits, zero-extended above the type's width; bool 0 or 1; floats by IEEE bits
  Range<ConstId> parts;  // composite: into the table's pool
};

class TypeTable {
 public:
  TypeTable();
  TypeTable(TypeTable&&) noexcept = default;

  [[nodiscard]] const Type& operator[](TypeId id) const { return types_[id]; }
  [[nodiscard]] TypeKind kind(TypeId id) const { return types_[id].kind; }
  [[nodiscard]] uint32_t size() const { return types_.size(); }

  TypeId scalar(ScalarKind s);
  TypeId vector(ScalarKind s, uint32_t count);  // count 1 gives the scalar
  TypeId matrix(ScalarKind s, uint32_t columns, uint32_t rows);
  TypeId array(TypeId element, uint32_t count);  // 0: runtime-sized
  TypeId array_override(TypeId element, uint32_t override_value_id);
  /// Elements of arrays of that size while nothing is specialised: layouts are made for these (GLSL 4.11).
  void set_override_default(uint32_t override_value_id, uint32_t count) { override_defaults_[override_value_id] = count; }
  [[nodiscard]] uint32_t override_default(uint32_t override_value_id) const {
    const auto found = override_defaults_.find(override_value_id);
    return found == override_defaults_.end() ? 0 : found->second;
  }
  TypeId pointer(Space space, Access access, TypeId pointee, LayoutId layout = {});
  TypeId texture(Dim dim, ScalarKind sampled, uint8_t flags, uint8_t components = 4);
  TypeId image(Dim dim, ImageFormat format, ScalarKind sampled, Access access, uint8_t flags, uint8_t components = 4);
  TypeId combined(TypeId texture);
  TypeId bindings(TypeId element, uint32_t count);
  TypeId atomic(ScalarKind s);
  TypeId object(ObjectKind kind, TypeId element);
  TypeId intern(const Type& type);

  /// A new nominal struct. Members may be set later (`struct_decl(id)`), before the first use of its members.
  TypeId make_struct(NameId name, std::vector<Member> members);
  [[nodiscard]] StructDecl& struct_decl(TypeId struct_type) { return structs_[types_[struct_type].struct_id]; }
  [[nodiscard]] const StructDecl& struct_decl(TypeId struct_type) const { return structs_[types_[struct_type].struct_id]; }

  // Questions. "numeric" is scalar, vector or matrix.
  [[nodiscard]] bool is_scalar(TypeId id) const { return kind(id) == TypeKind::scalar; }
  [[nodiscard]] bool is_vector(TypeId id) const { return kind(id) == TypeKind::vector; }
  [[nodiscard]] bool is_matrix(TypeId id) const { return kind(id) == TypeKind::matrix; }
  [[nodiscard]] bool is_numeric(TypeId id) const { return is_scalar(id) || is_vector(id) || is_matrix(id); }
  [[nodiscard]] bool is_pointer(TypeId id) const { return kind(id) == TypeKind::pointer; }
  [[nodiscard]] bool is_handle(TypeId id) const;  // texture, image, sampler, combined, accel, ray_query
  [[nodiscard]] ScalarKind scalar_of(TypeId id) const { return types_[id].scalar; }
  /// Components of a scalar (1) or vector (2..4); 0 otherwise.
  [[nodiscard]] uint32_t component_count(TypeId id) const;
  /// The same shape with another scalar.
  TypeId with_scalar(TypeId id, ScalarKind s);
  /// Scalar type of a vector; column vector of a matrix; element of an array; member type of a struct; 'none' if it does not fit.
  TypeId part(TypeId id, uint32_t index);
  /// Number of parts: components, columns, elements, members; 0 for others and for runtime-sized arrays.
  [[nodiscard]] uint32_t part_count(TypeId id) const;

  // ---- constants ----
  ConstId constant_bits(TypeId scalar_type, uint64_t bits);  // bits above the width are cut
  ConstId constant_bool(bool v) { return constant_bits(TypeId::bool_, v ? 1 : 0); }
  ConstId constant_i32(int32_t v) { return constant_bits(TypeId::i32, static_cast<uint32_t>(v)); }
  ConstId constant_u32(uint32_t v) { return constant_bits(TypeId::u32, v); }
  ConstId constant_f32(float v);
  /// All parts zero collapses to zero(type).
  ConstId constant_composite(TypeId type, std::span<const ConstId> parts);
  ConstId zero(TypeId type);  // of a scalar type: the scalar constant with bits 0
  ConstId splat(TypeId vector_type, ConstId scalar);
  [[nodiscard]] const Constant& constant(ConstId id) const { return constants_[id]; }
  [[nodiscard]] std::span<const ConstId> parts(ConstId id) const;
  /// Part `index` of a composite or zero constant.
  ConstId part_of(ConstId id, uint32_t index);
  [[nodiscard]] bool is_zero(ConstId id) const;
  [[nodiscard]] uint32_t constant_count() const { return constants_.size(); }

 private:
  std::unordered_map<uint32_t, uint32_t> override_defaults_;
  Store<TypeId, Type> types_;
  Store<StructId, StructDecl> structs_;
  Store<ConstId, Constant> constants_;
  std::vector<ConstId> const_parts_;
  InternTable<TypeId> type_index_;
  InternTable<ConstId> const_index_;
};

}  // namespace carry
