// GLSL type words to types, and what they need.
#include "check/checker.h"

namespace carry::check {
namespace {

bool eat(std::string_view& word, std::string_view start) {
  if (word.substr(0, start.size()) != start) return false;
  word.remove_prefix(start.size());
  return true;
}

struct Prefix {
  std::string_view text;
  ScalarKind scalar;
};
// Longest first.
constexpr Prefix kPrefixes[] = {
    {"i16", ScalarKind::i16}, {"i32", ScalarKind::i32}, {"i64", ScalarKind::i64}, {"u16", ScalarKind::u16},
    {"u32", ScalarKind::u32}, {"u64", ScalarKind::u64}, {"f16", ScalarKind::f16}, {"f32", ScalarKind::f32},
    {"f64", ScalarKind::f64}, {"i8", ScalarKind::i8},   {"u8", ScalarKind::u8},   {"b", ScalarKind::bool_},
    {"i", ScalarKind::i32},   {"u", ScalarKind::u32},   {"d", ScalarKind::f64},   {"", ScalarKind::f32}};

constexpr std::pair<std::string_view, TypeId> kScalars[] = {{"void", TypeId::void_},
                                                            {"bool", TypeId::bool_},
                                                            {"int", TypeId::i32},
                                                            {"uint", TypeId::u32},
                                                            {"float", TypeId::f32},
                                                            {"double", TypeId::f64},
                                                            {"int8_t", TypeId::i8},
                                                            {"int16_t", TypeId::i16},
                                                            {"int32_t", TypeId::i32},
                                                            {"int64_t", TypeId::i64},
                                                            {"uint8_t", TypeId::u8},
                                                            {"uint16_t", TypeId::u16},
                                                            {"uint32_t", TypeId::u32},
                                                            {"uint64_t", TypeId::u64},
                                                            {"float16_t", TypeId::f16},
                                                            {"float32_t", TypeId::f32},
                                                            {"float64_t", TypeId::f64},
                                                            {"sampler", TypeId::sampler},
                                                            {"samplerShadow", TypeId::sampler_cmp},
                                                            {"accelerationStructureEXT", TypeId::accel},
                                                            {"rayQueryEXT", TypeId::ray_query}};

bool digit(std::string_view w, size_t i) { return i < w.size() && w[i] >= '2' && w[i] <= '4'; }

TypeId vector_or_matrix(TypeTable& types, std::string_view word) {
  for (const Prefix& p : kPrefixes) {
    std::string_view rest = word;
    if (!eat(rest, p.text)) continue;
    if (eat(rest, "vec")) {
      return rest.size() == 1 && digit(rest, 0) ? types.vector(p.scalar, static_cast<uint32_t>(rest[0] - '0')) : TypeId::none();
    }
    if (is_float(p.scalar) && eat(rest, "mat")) {
      if (!digit(rest, 0)) return TypeId::none();
      const auto c = static_cast<uint32_t>(rest[0] - '0');
      if (rest.size() == 1) return types.matrix(p.scalar, c, c);
      return rest.size() == 3 && rest[1] == 'x' && digit(rest, 2)
                 ? types.matrix(p.scalar, c, static_cast<uint32_t>(rest[2] - '0'))
                 : TypeId::none();
    }
  }
  return TypeId::none();
}

bool image_shape(std::string_view rest, Dim& dim, uint8_t& flags) {
  flags = 0;
  if (eat(rest, "1D"))
    dim = Dim::d1;
  else if (eat(rest, "2DRect"))
    dim = Dim::rect;
  else if (eat(rest, "2D"))
    dim = Dim::d2;
  else if (eat(rest, "3D"))
    dim = Dim::d3;
  else if (eat(rest, "Cube"))
    dim = Dim::cube;
  else if (eat(rest, "Buffer"))
    dim = Dim::buffer;
  else
    return false;
  if (eat(rest, "MS")) flags |= kImageMultisampled;
  if (eat(rest, "Array")) flags |= kImageArrayed;
  if (eat(rest, "Shadow")) flags |= kImageDepth;
  return rest.empty();
}

}  // namespace

TypeId Checker::glsl_type_word(std::string_view word) {
  for (const auto& [name, type] : kScalars) {
    if (name == word) return type;
  }
  if (const TypeId t = vector_or_matrix(types_, word)) return t;
  std::string_view rest = word;
  ScalarKind s = ScalarKind::f32;
  bool wide = false;
  if (eat(rest, "i64"))
    s = ScalarKind::i64, wide = true;
  else if (eat(rest, "u64"))
    s = ScalarKind::u64, wide = true;
  else if (rest.substr(0, 2) == "is" || rest.substr(0, 2) == "it" || (rest.substr(0, 2) == "ii"))
    s = ScalarKind::i32, rest.remove_prefix(1);
  else if (rest.substr(0, 2) == "us" || rest.substr(0, 2) == "ut" || rest.substr(0, 2) == "ui")
    s = ScalarKind::u32, rest.remove_prefix(1);
  Dim dim = Dim::d2;
  uint8_t flags = 0;
  if (eat(rest, "subpassInput")) {
    if (eat(rest, "MS")) flags |= kImageMultisampled;
    return rest.empty() ? types_.image(Dim::subpass, ImageFormat::any, s, Access::read, flags) : TypeId::none();
  }
  if (eat(rest, "sampler") && !wide)
    return image_shape(rest, dim, flags) ? types_.combined(types_.texture(dim, s, flags)) : TypeId::none();
  if (eat(rest, "texture") && !wide)
    return image_shape(rest, dim, flags) && (flags & kImageDepth) == 0 ? types_.texture(dim, s, flags) : TypeId::none();
  if (eat(rest, "image"))
    return image_shape(rest, dim, flags) && (flags & kImageDepth) == 0
               ? types_.image(dim, ImageFormat::any, s, Access::read_write, flags)
               : TypeId::none();
  return TypeId::none();
}

bool Checker::glsl_needs(NodeId n, TypeId t) {
  const Type& type = types_[t];
  const Type& image = type.kind == TypeKind::combined ? types_[type.element] : type;
  if ((image.kind == TypeKind::texture || image.kind == TypeKind::image) && image.dim == Dim::rect) {
    not_yet(n, "rectangle textures: use a 2D texture, its coordinate divided by its size");
    return false;
  }
  const ScalarKind s = type.kind == TypeKind::scalar || type.kind == TypeKind::vector || type.kind == TypeKind::matrix
                           ? type.scalar
                           : ScalarKind::none;
  const bool storage8 = has_ext("GL_EXT_shader_8bit_storage");
  const bool storage16 = has_ext("GL_EXT_shader_16bit_storage");
  const bool all = has_ext("GL_EXT_shader_explicit_arithmetic_types");
  auto need = [&](bool ok, const Need& what) {
    if (!ok) missing(range(n), type_text(t), what);
    return ok;
  };
  switch (s) {
    case ScalarKind::i8:
    case ScalarKind::u8:
      return need(all || storage8 || has_ext("GL_EXT_shader_explicit_arithmetic_types_int8"),
                  {.extension = "GL_EXT_shader_explicit_arithmetic_types_int8"});
    case ScalarKind::i16:
    case ScalarKind::u16:
      return need(
          all || storage16 || has_ext("GL_EXT_shader_explicit_arithmetic_types_int16") || has_ext("GL_AMD_gpu_shader_int16"),
          {.extension = "GL_EXT_shader_explicit_arithmetic_types_int16"});
    case ScalarKind::i64:
    case ScalarKind::u64:
      return need(all || has_ext("GL_EXT_shader_explicit_arithmetic_types_int64") || has_ext("GL_ARB_gpu_shader_int64"),
                  {.extension = "GL_EXT_shader_explicit_arithmetic_types_int64"});
    case ScalarKind::f16:
      return need(all || storage16 || has_ext("GL_EXT_shader_explicit_arithmetic_types_float16") ||
                      has_ext("GL_AMD_gpu_shader_half_float"),
                  {.extension = "GL_EXT_shader_explicit_arithmetic_types_float16"});
    case ScalarKind::f64: {
      Need wide{.version = 400, .extension = "GL_ARB_gpu_shader_fp64"};
      if (mode_.is_es()) wide = {.extension = "GL_EXT_shader_explicit_arithmetic_types_float64"};
      return need(all || has_ext("GL_EXT_shader_explicit_arithmetic_types_float64") || has_ext("GL_ARB_gpu_shader_fp64") ||
                      (!mode_.is_es() && mode_.glsl_version >= 400),
                  wide);
    }
    case ScalarKind::u32:
      return need(mode_.glsl_version >= (mode_.is_es() ? 300 : 130),
                  {.version = static_cast<uint16_t>(mode_.is_es() ? 300 : 130)});
    default: return true;
  }
}

}  // namespace carry::check
