// Patterns of built-in functions against types: see builtins.h.
#include <initializer_list>

#include "ops/builtins.h"
#include "ops/expand.h"

namespace carry::builtins {

namespace {

struct ShapeRow {
  uint8_t dims;   // components of an offset or texel position, layer not counted
  uint8_t coord;  // components of a coordinate, layer included
  uint8_t size;   // components of the size, layers included
};
// in the order of TexShape
constexpr ShapeRow kShapes[] = {{1, 1, 1}, {1, 2, 2}, {2, 2, 2}, {2, 3, 3}, {2, 2, 2}, {2, 3, 3}, {3, 3, 3},
                                {3, 3, 2}, {3, 4, 3}, {1, 1, 1}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}};
static_assert(sizeof(kShapes) / sizeof(kShapes[0]) == static_cast<size_t>(TexShape::count_) + 1);

ScalarKind scalar_of(TypePattern p, const Bindings& b) {
  return p.scalar >= TypePattern::kVarT ? b.scalar[p.scalar - TypePattern::kVarT] : static_cast<ScalarKind>(p.scalar);
}

/// Components of a pattern whose size follows from the texture shape; 0 for others.
uint32_t shape_components(PatternKind kind, TexShape shape) {
  const ShapeRow& row = kShapes[static_cast<size_t>(shape)];
  switch (kind) {
    case PatternKind::coord: return row.coord;
    case PatternKind::icoord: return shape == TexShape::cube_array ? 3u : row.coord;  // (x, y, 6 * layer + face)
    case PatternKind::lcoord:
    case PatternKind::pcoord: return kind == PatternKind::lcoord ? row.coord + 1u : row.dims + 1u;
    case PatternKind::scoord: return row.coord < 2 ? 3u : row.coord + 1u;  // sampler1DShadow takes (x, unused, reference)
    case PatternKind::offset:
    case PatternKind::offsets:
    case PatternKind::grad: return row.dims;
    case PatternKind::size: return row.size;
    default: return 0;
  }
}

bool fill(ScalarKind& hole, ScalarKind s) {
  if (hole == ScalarKind::none) hole = s;
  return hole == s;
}
bool fill_scalar(TypePattern p, ScalarKind s, Bindings& b) {
  if (p.scalar >= TypePattern::kVarT) return fill(b.scalar[p.scalar - TypePattern::kVarT], s);
  return static_cast<ScalarKind>(p.scalar) == s;
}
bool fill_size(uint8_t& hole, uint32_t n) {
  if (hole == 0) hole = static_cast<uint8_t>(n);
  return hole == n;
}

bool unify_texture(TypeTable& types, TypePattern p, TypeId id, Bindings& b) {
  const Type& outer = types[id];
  const bool combined = outer.kind == TypeKind::combined;
  const Type type = combined ? types[outer.element] : outer;
  const bool is_depth = (type.flags & kImageDepth) != 0;
  switch (p.kind) {
    case PatternKind::combined:
    case PatternKind::shadow:
      if (!combined || is_depth != (p.kind == PatternKind::shadow)) return false;
      break;
    case PatternKind::texture:
    case PatternKind::depth:
      if (type.kind != TypeKind::texture || combined || is_depth != (p.kind == PatternKind::depth)) return false;
      break;
    default:
      if (type.kind != TypeKind::image) return false;
  }
  const TexShape shape = tex_shape(types, id);
  if ((p.kind == PatternKind::subpass) != (type.dim == Dim::subpass)) return false;
  if (b.shape == TexShape::count_) b.shape = shape;
  if (b.shape != shape || !fill_scalar(p, type.scalar, b)) return false;
  if (!b.element) b.element = types.vector(type.scalar, type.rows == 0 ? 4 : type.rows);
  return true;
}

bool unify_matrix(TypePattern p, const Type& type, Bindings& b) {
  if (type.kind != TypeKind::matrix || !fill_scalar(p, type.scalar, b)) return false;
  switch (p.kind) {
    case PatternKind::mat_t: return fill_size(b.columns, type.rows) && fill_size(b.rows, type.columns);
    case PatternKind::mat_sq:
      return type.columns == type.rows && fill_size(b.columns, type.columns) && fill_size(b.rows, type.rows);
    case PatternKind::mat_cn: return fill_size(b.columns, type.columns) && fill_size(b.n, type.rows);
    case PatternKind::mat_nr: return fill_size(b.n, type.columns) && fill_size(b.rows, type.rows);
    case PatternKind::fixed_mat: return p.size == type.columns * 16 + type.rows;
    default: return fill_size(b.columns, type.columns) && fill_size(b.rows, type.rows);
  }
}

}  // namespace

TexShape tex_shape(const TypeTable& types, TypeId id) {
  const Type& outer = types[id];
  const Type& type = outer.kind == TypeKind::combined ? types[outer.element] : outer;
  if (type.kind != TypeKind::texture && type.kind != TypeKind::image) return TexShape::count_;
  const bool arrayed = (type.flags & kImageArrayed) != 0, ms = (type.flags & kImageMultisampled) != 0;
  switch (type.dim) {
    case Dim::d1: return arrayed ? TexShape::d1_array : TexShape::d1;
    case Dim::d2:
      if (ms) return arrayed ? TexShape::d2_ms_array : TexShape::d2_ms;
      return arrayed ? TexShape::d2_array : TexShape::d2;
    case Dim::d3: return TexShape::d3;
    case Dim::cube: return arrayed ? TexShape::cube_array : TexShape::cube;
    case Dim::buffer: return TexShape::buffer;
    case Dim::rect: return TexShape::rect;
    case Dim::subpass: return ms ? TexShape::subpass_ms : TexShape::subpass;
  }
  return TexShape::count_;
}

TypeId instantiate(TypeTable& types, TypePattern p, const Bindings& b) {
  const ScalarKind s = scalar_of(p, b);
  switch (p.kind) {
    case PatternKind::void_: return TypeId::void_;
    case PatternKind::scalar: return types.scalar(s);
    case PatternKind::vec:
    case PatternKind::vec2up: return types.vector(s, b.n == 0 ? 1 : b.n);
    case PatternKind::fixed: return types.vector(s, p.size);
    case PatternKind::any:
      if (b.columns != 0) return types.matrix(s, b.columns, b.rows);
      return types.vector(s, b.n == 0 ? 1 : b.n);
    case PatternKind::mat: return types.matrix(s, b.columns, b.rows);
    case PatternKind::mat_t: return types.matrix(s, b.rows, b.columns);
    case PatternKind::mat_sq: return types.matrix(s, b.columns, b.columns);
    case PatternKind::mat_cn: return types.matrix(s, b.columns, b.n);
    case PatternKind::mat_nr: return types.matrix(s, b.n, b.rows);
    case PatternKind::col: return types.vector(s, b.rows);
    case PatternKind::row: return types.vector(s, b.columns);
    case PatternKind::fixed_mat: return types.matrix(s, p.size / 16, p.size % 16);
    case PatternKind::sampler: return TypeId::sampler;
    case PatternKind::sampler_cmp: return TypeId::sampler_cmp;
    case PatternKind::string: return TypeId::string;
    case PatternKind::texel: return types.vector(s, 4);
    case PatternKind::element:
    case PatternKind::same: return b.element ? b.element : TypeId::error;
    case PatternKind::coord:
    case PatternKind::scoord:
    case PatternKind::pcoord:
    case PatternKind::grad:
      if (b.shape == TexShape::count_) return TypeId::error;
      return types.vector(ScalarKind::f32, shape_components(p.kind, b.shape));
    case PatternKind::icoord:
    case PatternKind::lcoord:
    case PatternKind::offset:
    case PatternKind::size:
      if (b.shape == TexShape::count_) return TypeId::error;
      return types.vector(ScalarKind::i32, shape_components(p.kind, b.shape));
    case PatternKind::offsets:
      if (b.shape == TexShape::count_) return TypeId::error;
      return types.array(types.vector(ScalarKind::i32, shape_components(p.kind, b.shape)), 4);
    default: return TypeId::error;  // handles: only unify knows them
  }
}

bool unify(TypeTable& types, TypePattern p, TypeId id, Bindings& b) {
  const Type type = types[id];
  const uint32_t components = types.component_count(id);
  switch (p.kind) {
    case PatternKind::scalar: return type.kind == TypeKind::scalar && fill_scalar(p, type.scalar, b);
    case PatternKind::vec: return components != 0 && fill_scalar(p, type.scalar, b) && fill_size(b.n, components);
    case PatternKind::vec2up: return components > 1 && fill_scalar(p, type.scalar, b) && fill_size(b.n, components);
    case PatternKind::fixed: return components == p.size && fill_scalar(p, type.scalar, b);
    case PatternKind::any:
      if (type.kind == TypeKind::matrix) return b.n == 0 && unify_matrix(p, type, b);
      return components != 0 && b.columns == 0 && fill_scalar(p, type.scalar, b) && fill_size(b.n, components);
    case PatternKind::mat:
    case PatternKind::mat_t:
    case PatternKind::mat_sq:
    case PatternKind::mat_cn:
    case PatternKind::mat_nr:
    case PatternKind::fixed_mat: return unify_matrix(p, type, b);
    case PatternKind::col: return components != 0 && fill_scalar(p, type.scalar, b) && fill_size(b.rows, components);
    case PatternKind::row: return components != 0 && fill_scalar(p, type.scalar, b) && fill_size(b.columns, components);
    case PatternKind::combined:
    case PatternKind::shadow:
    case PatternKind::texture:
    case PatternKind::depth:
    case PatternKind::image:
    case PatternKind::subpass: return unify_texture(types, p, id, b);
    case PatternKind::object:
      if (type.kind != TypeKind::object || type.object != static_cast<ObjectKind>(p.size)) return false;
      if (!b.element && type.element != TypeId::void_) b.element = type.element;
      return true;
    case PatternKind::same:
      if (!b.element) b.element = id;
      return b.element == id;
    default: return instantiate(types, p, b) == id && id != TypeId::error;
  }
}

// ---- walking the overloads ----

namespace {

/// The next set bit of `mask` from `from` on; none past the end.
ScalarKind next_scalar(uint16_t mask, unsigned from) {
  for (unsigned i = from; i < static_cast<unsigned>(ScalarKind::lit_int); ++i) {
    if ((mask >> i & 1) != 0) return static_cast<ScalarKind>(i);
  }
  return ScalarKind::none;
}

/// HLSL mul of two matrices has n as a third dimension.
bool has_third_dimension(const Form& form) {
  return form.matrices && form.param_count > 0 && params(form)[0].type.kind == PatternKind::mat_cn;
}

/// Shapes of a form, numbered: vectors by n, then matrices by columns, rows (and n).
uint32_t shape_number(const Form& form, const Bindings& b) {
  if (b.columns == 0) return b.n - 1u;
  const uint32_t matrix = (b.columns - 1u) * 4 + (b.rows - 1u);
  return 4 + (has_third_dimension(form) ? matrix * 4 + (b.n - 1u) : matrix);
}

bool set_shape(const Form& form, uint32_t number, Bindings& b) {
  const bool third = has_third_dimension(form);
  const bool vectors = !third && (form.sizes != 0 || !form.matrices);
  b.columns = b.rows = 0;
  if (number < 4) {
    if (!vectors) return false;
    b.n = static_cast<uint8_t>(number + 1);
    return form.sizes == 0 ? number == 0 : (form.sizes >> number & 1) != 0;
  }
  number -= 4;
  if (!form.matrices || number >= (third ? 64u : 16u)) return false;
  b.n = static_cast<uint8_t>(third ? number % 4 + 1 : 1);
  if (third) number /= 4;
  b.columns = static_cast<uint8_t>(number / 4 + 1);
  b.rows = static_cast<uint8_t>(number % 4 + 1);
  return true;
}

constexpr uint32_t kShapeNumbers = 4 + 64;

bool advance_shape(const Form& form, uint32_t from, Bindings& b) {
  for (uint32_t i = from; i < kShapeNumbers; ++i) {
    if (set_shape(form, i, b)) return true;
  }
  return false;
}

}  // namespace

bool first_bindings(const Form& form, uint16_t enabled, Bindings& b) {
  if (form.shapes != 0 && (form.shapes >> static_cast<unsigned>(b.shape) & 1) == 0) return false;
  for (int i = 0; i < 2; ++i) {
    if (form.scalars[i] == 0) continue;
    if (b.scalar[i] != ScalarKind::none) {
      if ((form.scalars[i] & scalar_bit(b.scalar[i])) == 0) return false;
      continue;
    }
    b.scalar[i] = next_scalar(form.scalars[i] & enabled, 0);
    if (b.scalar[i] == ScalarKind::none) return false;
  }
  return advance_shape(form, 0, b);
}

bool next_bindings(const Form& form, uint16_t enabled, Bindings& b) {
  if (advance_shape(form, shape_number(form, b) + 1, b)) return true;
  for (int i = 0; i < 2; ++i) {
    const bool from_handle = i == 0 && b.shape != TexShape::count_;
    if (form.scalars[i] == 0 || from_handle) continue;
    const uint16_t mask = form.scalars[i] & enabled;
    const ScalarKind next = next_scalar(mask, static_cast<unsigned>(b.scalar[i]) + 1);
    b.scalar[i] = next != ScalarKind::none ? next : next_scalar(mask, 0);
    if (next != ScalarKind::none) return advance_shape(form, 0, b);
  }
  return false;
}

// ---- signatures of operations ----

namespace {

struct OpSignature {
  uint16_t scalars;
  uint8_t param_count;
  TypePattern params[3];
  uint8_t result_count;
  TypePattern results[2];
};

constexpr uint8_t pattern_count(std::initializer_list<TypePattern> list) {
  uint8_t n = 0;
  for (const TypePattern& p : list) {
    if (p.kind != PatternKind::void_) ++n;
  }
  return n;
}

#define P(...) \
  { __VA_ARGS__ }
constexpr OpSignature kOpSignatures[] = {
#define OP_SIGNATURE(name, scalars, params, results) {scalars, pattern_count(params), params, pattern_count(results), results},
#include "ops/gen/op_signatures.inc"
#undef OP_SIGNATURE
};

struct CoreSignature {
  Op op;
  OpSignature sig;
};
constexpr CoreSignature kCoreSignatures[] = {
#define CORE_SIGNATURE(name, scalars, params, results) \
  {Op::name, {scalars, pattern_count(params), params, pattern_count(results), results}},
#include "ops/gen/core_signatures.inc"
#undef CORE_SIGNATURE
};
#undef P

const OpSignature* signature_of(Op op) {
  if (!has_trait(op, kBuiltin)) {
    for (const CoreSignature& c : kCoreSignatures) {
      if (c.op == op) return &c.sig;
    }
    return nullptr;
  }
  constexpr size_t kFirst = static_cast<size_t>(Op::count_) - sizeof(kOpSignatures) / sizeof(kOpSignatures[0]);
  return &kOpSignatures[static_cast<size_t>(op) - kFirst];
}

}  // namespace

bool bind_operands(TypeTable& types, Op op, std::span<const TypeId> operands, Bindings& b) {
  const OpSignature* sig = signature_of(op);
  if (sig == nullptr || operands.size() != sig->param_count) return false;
  b = open_bindings();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!unify(types, sig->params[i], operands[i], b)) return false;
  }
  return b.scalar[0] == ScalarKind::none || (sig->scalars & scalar_bit(b.scalar[0])) != 0;
}

bool op_result_types(TypeTable& types, Op op, std::span<const TypeId> operands, std::span<TypeId> results) {
  Bindings b;
  if (!bind_operands(types, op, operands, b)) return false;
  const OpSignature& sig = *signature_of(op);
  if (results.size() != sig.result_count) return false;
  for (size_t i = 0; i < results.size(); ++i) results[i] = instantiate(types, sig.results[i], b);
  return true;
}

}  // namespace carry::builtins
