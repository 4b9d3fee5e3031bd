// Built-in functions as data: for each source language the forms of a name, with typed parameters, who may call them
// and what they mean. The tables come from builtins/*.builtins by tools/gen; all constexpr, nothing is built at
// start-up.
//
// Use by the checker:
//   for (const Form& form : find_forms(language, name))             // one run in the table
//     if (is_available(form, ...)) for each Bindings b (first_bindings / next_bindings, or bind_exact from the
//     arguments):
//       parameter i has type instantiate(types, pattern(form.params + i), b); rank; remember (form, b).
// Use by lowering: action(form, b) says which op, expansion or hook computes it; see Action.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/ops.h"
#include "types/types.h"

namespace carry::builtins {

enum class Lang : uint8_t { glsl, hlsl };
/// Bits of ScalarKind for `enabled`.
[[nodiscard]] constexpr uint16_t scalar_bit(ScalarKind s) { return static_cast<uint16_t>(1u << static_cast<unsigned>(s)); }

/// Shape of texture and image handles.
enum class TexShape : uint8_t {
  d1,
  d1_array,
  d2,
  d2_array,
  d2_ms,
  d2_ms_array,
  d3,
  cube,
  cube_array,
  buffer,
  rect,
  subpass,
  subpass_ms,
  count_
};

enum class PatternKind : uint8_t {
  void_,
  scalar,  // T
  vec,     // n components, n of the bindings; 1 is the scalar
  vec2up,  // the same, n = 2..4
  fixed,   // `size` components
  any,     // HLSL: scalar, vector or matrix: the bindings' `columns` x `rows` if columns != 0, else n components
  mat,
  mat_t,
  mat_sq,  // columns x rows; rows x columns; columns x columns
  mat_cn,
  mat_nr,  // columns x n; n x rows (HLSL mul)
  col,
  row,        // vector of `rows` components; of `columns` components
  fixed_mat,  // size = columns * 16 + rows
  sampler,
  sampler_cmp,
  string,
  combined,
  shadow,  // GLSL combined texture and sampler: colour, depth; the bindings' texture shape
  texture,
  depth,  // separate texture (GLSL texture2D, HLSL Texture2D); depth texture
  image,  // storage image; HLSL RWTexture, RWBuffer
  subpass,
  object,   // HLSL object before lowering (structured and byte-address buffers ...): kind in `size` (ObjectKind)
  element,  // HLSL element type of the object that the method belongs to; texel of a texture method
  texel,    // T with 4 components (HLSL: as many as the texture has)
  coord,    // f32, as many as the shape has, array layer included
  icoord,   // i32 of the same size
  lcoord,   // icoord and the mip level as one more component (HLSL Load)
  scoord,   // coord and the depth reference (GLSL shadow forms)
  pcoord,   // coord without layer, and the divisor
  offset,   // i32, dimensions without layer
  grad,     // f32, dimensions without layer (cube: 3)
  size,     // i32, dimensions of a level (cube: 2), layers included
  offsets,  // array of four `offset`
  same,     // any type at all, equal for all `same` of the form
};

/// A type with holes. `scalar` is a ScalarKind, or kVarT, kVarU: a scalar of the bindings.
struct TypePattern {
  PatternKind kind = PatternKind::void_;
  uint8_t scalar = 0;
  uint8_t size = 0;
  static constexpr uint8_t kVarT = 0x80, kVarU = 0x81;
  friend constexpr bool operator==(const TypePattern&, const TypePattern&) = default;
};

/// What fills the holes.
struct Bindings {
  ScalarKind scalar[2] = {ScalarKind::none, ScalarKind::none};  // T, U
  uint8_t n = 1;                                                // components
  uint8_t columns = 0;                                          // matrices (GLSL columns x rows); 0: no matrix
  uint8_t rows = 0;
  TexShape shape = TexShape::count_;
  TypeId element;  // element, same: found from the arguments
};

enum class Direction : uint8_t {
  in,
  out,
  inout,
  ref,      // memory that an atomic works on: the argument is an l-value and is not copied
  constant  // in, and must be a constant expression
};
/// What a hook does with a parameter; `value` for parameters of forms without a hook, and for others that need no word.
enum class Role : uint8_t {
  value,
  handle,  // texture, combined or image, where it is a parameter
  sampler,
  coord,           // plain
  coord_cmp,       // last component is the depth reference (sampler1DShadow: x, unused, reference)
  coord_proj,      // last component is the divisor; of four, the first ones that the shape needs are the coordinate
  coord_proj_cmp,  // four components: coordinate, then (third) the depth reference, then the divisor
  coord_lod,       // last component is the mip level
  bias,
  lod,
  ddx,
  ddy,
  offset,
  offset0,
  offset1,
  offset2,
  offset3,
  offsets,
  min_lod,
  compare,
  component,
  sample,
  status,  // out: residency
  data,
  memory,
  mip,
  width,
  height,
  depth,
  elements,
  levels,
  samples,  // GetDimensions
  scope,
  storage,
  semantics  // memory model
};
struct Param {
  std::string_view name;
  TypePattern type;
  Direction direction = Direction::in;
  Role role = Role::value;
};

/// Named pieces of lowering for what a table cannot say: texture operands, memory scopes, objects.
enum class Hook : uint8_t {
  none,
#define LOWER_HOOK(name) name,
#include "ops/gen/hooks.inc"
#undef LOWER_HOOK
  count_
};

/// How a form is computed, by the class of its scalar T (see `action`).
struct Action {
  enum class Kind : uint8_t {
    none,    // not for this class
    op,      // the op with the arguments in order; out parameters take the results after the first (which is the value if
             // the form returns one)
    expand,  // expansion `index` (ops/expand.h); its results go as with op
    hook     // Hook `index`; `op` tells more where one hook serves several (image atomics), else count_
  } kind = Kind::none;
  uint16_t index = 0;
  Op op = Op::count_;
};
enum class ScalarClass : uint8_t { signed_, unsigned_, float_, bool_ };
[[nodiscard]] constexpr ScalarClass scalar_class(ScalarKind s) {
  return is_float(s)          ? ScalarClass::float_
         : is_signed_int(s)   ? ScalarClass::signed_
         : is_unsigned_int(s) ? ScalarClass::unsigned_
                              : ScalarClass::bool_;
}

/// Who may call. Desktop GLSL: version >= since (0: never by version); ESSL: version >= es; either: one of the
/// extensions is on. HLSL: shader model * 10 >= sm. `stages`: bit of ir::Stage's order (vertex 0, ... compute 5); 0:
/// every stage.
struct Availability {
  uint16_t since = 0, es = 0, sm = 0;
  uint16_t stages = 0;
  uint16_t first_ext = 0;
  uint8_t ext_count = 0;
};

struct Form {
  std::string_view name;
  Lang lang = Lang::glsl;
  uint8_t param_count = 0;
  uint8_t min_params = 0;  // the ones after are optional; arguments bind in order
  uint16_t first_param = 0;
  TypePattern result;            // void_ for none
  TypePattern owner;             // HLSL method: the object; void_ for a free function
  uint16_t scalars[2] = {0, 0};  // bit of ScalarKind each: what T and U may be; 0: not used
  uint8_t sizes = 0;             // bit i: n = i + 1 allowed; 0: n not used
  bool matrices = false;         // columns and rows are used: by mat..., col, row, or `any`, which may be a matrix
  uint16_t shapes = 0;           // bit of TexShape
  Availability available;
  Action actions[4];  // by ScalarClass of T; all equal where T is not used
};

/// All forms of a free function, in table order; empty if there is none.
[[nodiscard]] std::span<const Form> find_forms(Lang lang, std::string_view name);
/// All forms of HLSL methods of that name, whatever their owner.
[[nodiscard]] std::span<const Form> find_methods(std::string_view name);
[[nodiscard]] std::span<const Param> params(const Form& form);
[[nodiscard]] std::span<const std::string_view> extensions(const Form& form);
[[nodiscard]] const Action& action(const Form& form, const Bindings& bindings);
[[nodiscard]] std::string_view hook_name(Hook hook);
/// Does the version alone allow it? (GLSL; extensions may too.)
[[nodiscard]] constexpr bool in_version(const Form& form, uint32_t version, bool is_es) {
  const uint32_t first = is_es ? form.available.es : form.available.since;
  return first != 0 && version >= first;
}
/// For completion and spelling hints: every form, sorted by language and name.
[[nodiscard]] std::span<const Form> all_forms();
/// Position in all_forms(): what Facts keep.
[[nodiscard]] uint32_t form_index(const Form& form);

/// Walks the concrete overloads of a form: scalars within `enabled` (bits of ScalarKind), vector sizes, matrix shapes.
/// Texture shape and element are not walked: `unify` the handle arguments first, then pass the result as `b` (the walk
/// keeps shape and element, and scalars that are set already). false: no (further) one, or the shape is not among the
/// form's.
bool first_bindings(const Form& form, uint16_t enabled, Bindings& b);
bool next_bindings(const Form& form, uint16_t enabled, Bindings& b);

/// The type that a pattern stands for; TypeId::error where a hole is not filled (element, same).
[[nodiscard]] TypeId instantiate(TypeTable& types, TypePattern pattern, const Bindings& b);
/// Is `type` an exact instance of `pattern`? Fills holes of `b` that are still open (scalar none, shape count_, element
/// none) and compares with those already filled. Vector sizes count as open while b.n is 0. Used for handles, owners
/// and exact matches.
bool unify(TypeTable& types, TypePattern pattern, TypeId type, Bindings& b);
[[nodiscard]] constexpr bool is_handle_pattern(PatternKind k) { return k >= PatternKind::sampler && k <= PatternKind::object; }
[[nodiscard]] constexpr Bindings open_bindings() {
  Bindings b;
  b.n = 0;
  return b;
}
/// Texture shape of a texture, image or combined type; count_ for others.
[[nodiscard]] TexShape tex_shape(const TypeTable& types, TypeId type);

// ---- signatures of operations with the rule `special` ----

/// Types of all results of a built-in operation (kBuiltin) from its operands' types; false if the operands do not fit
/// its signature. `results` has op_row(op).results entries.
bool op_result_types(TypeTable& types, Op op, std::span<const TypeId> operands, std::span<TypeId> results);

// ---- how targets spell an operation ----

struct Spelling {
  uint16_t spirv = 0;                      // SPIR-V opcode, 0: none
  uint16_t glsl450 = 0;                    // instruction of GLSL.std.450, 0: none
  std::string_view msl, wgsl, glsl, hlsl;  // function name; empty: none
};
[[nodiscard]] const Spelling& spelling(Op op);

}  // namespace carry::builtins
