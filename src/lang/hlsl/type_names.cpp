// HLSL type words and type templates to types.
#include "check/checker.h"

namespace carry::check {
namespace {

struct Word {
  std::string_view text;
  ScalarKind scalar;
};
// Longest first where one starts another.
constexpr Word kScalars[] = {{"bool", ScalarKind::bool_},    {"int16_t", ScalarKind::i16},   {"int32_t", ScalarKind::i32},
                             {"int64_t", ScalarKind::i64},   {"uint16_t", ScalarKind::u16},  {"uint32_t", ScalarKind::u32},
                             {"uint64_t", ScalarKind::u64},  {"int8_t", ScalarKind::i8},     {"uint8_t", ScalarKind::u8},
                             {"float16_t", ScalarKind::f16}, {"float32_t", ScalarKind::f32}, {"float64_t", ScalarKind::f64},
                             {"int", ScalarKind::i32},       {"uint", ScalarKind::u32},      {"dword", ScalarKind::u32},
                             {"float", ScalarKind::f32},     {"double", ScalarKind::f64}};
// Of 16 bits with -enable-16bit-types, else computed in 32 bits.
constexpr Word kSmall[] = {{"half", ScalarKind::f16},     {"min16float", ScalarKind::f16}, {"min10float", ScalarKind::f16},
                           {"min16int", ScalarKind::i16}, {"min12int", ScalarKind::i16},   {"min16uint", ScalarKind::u16}};

bool dims(std::string_view rest, uint32_t& r, uint32_t& c) {
  auto d = [&](size_t i) { return rest[i] >= '1' && rest[i] <= '4'; };
  c = 0;
  if (rest.empty()) return r = 0, true;
  if (rest.size() == 1 && d(0)) return r = static_cast<uint32_t>(rest[0] - '0'), true;
  if (rest.size() == 3 && d(0) && rest[1] == 'x' && d(2)) {
    r = static_cast<uint32_t>(rest[0] - '0');
    c = static_cast<uint32_t>(rest[2] - '0');
    return true;
  }
  return false;
}

struct TextureWord {
  std::string_view text;
  Dim dim;
  uint8_t flags;
  bool image;
};
constexpr TextureWord kTextures[] = {{"Texture1D", Dim::d1, 0, false},
                                     {"Texture1DArray", Dim::d1, kImageArrayed, false},
                                     {"Texture2D", Dim::d2, 0, false},
                                     {"Texture2DArray", Dim::d2, kImageArrayed, false},
                                     {"Texture2DMS", Dim::d2, kImageMultisampled, false},
                                     {"Texture2DMSArray", Dim::d2, kImageMultisampled | kImageArrayed, false},
                                     {"Texture3D", Dim::d3, 0, false},
                                     {"TextureCube", Dim::cube, 0, false},
                                     {"TextureCubeArray", Dim::cube, kImageArrayed, false},
                                     {"Buffer", Dim::buffer, 0, false},
                                     {"RWTexture1D", Dim::d1, 0, true},
                                     {"RWTexture1DArray", Dim::d1, kImageArrayed, true},
                                     {"RWTexture2D", Dim::d2, 0, true},
                                     {"RWTexture2DArray", Dim::d2, kImageArrayed, true},
                                     {"RWTexture3D", Dim::d3, 0, true},
                                     {"RWBuffer", Dim::buffer, 0, true},
                                     {"RasterizerOrderedTexture2D", Dim::d2, 0, true},
                                     {"RasterizerOrderedBuffer", Dim::buffer, 0, true}};

struct ObjectWord {
  std::string_view text;
  ObjectKind kind;
};
constexpr ObjectWord kObjects[] = {{"ConstantBuffer", ObjectKind::constant_buffer},
                                   {"TextureBuffer", ObjectKind::texture_buffer},
                                   {"StructuredBuffer", ObjectKind::structured_buffer},
                                   {"RWStructuredBuffer", ObjectKind::rw_structured_buffer},
                                   {"AppendStructuredBuffer", ObjectKind::append_buffer},
                                   {"ConsumeStructuredBuffer", ObjectKind::consume_buffer},
                                   {"ByteAddressBuffer", ObjectKind::byte_address_buffer},
                                   {"RWByteAddressBuffer", ObjectKind::rw_byte_address_buffer},
                                   {"RasterizerOrderedStructuredBuffer", ObjectKind::rov_structured_buffer},
                                   {"RasterizerOrderedByteAddressBuffer", ObjectKind::rov_byte_address_buffer},
                                   {"InputPatch", ObjectKind::input_patch},
                                   {"OutputPatch", ObjectKind::output_patch},
                                   {"PointStream", ObjectKind::point_stream},
                                   {"LineStream", ObjectKind::line_stream},
                                   {"TriangleStream", ObjectKind::triangle_stream}};

}  // namespace

TypeId Checker::hlsl_type_word(std::string_view word) {
  if (word == "void") return TypeId::void_;
  if (word == "string") return TypeId::string;
  if (word == "SamplerState" || word == "sampler" || word == "sampler1D" || word == "sampler2D" || word == "sampler3D" ||
      word == "samplerCUBE" || word == "sampler_state") {
    return TypeId::sampler;
  }
  if (word == "SamplerComparisonState") return TypeId::sampler_cmp;
  if (word == "RaytracingAccelerationStructure") return TypeId::accel;
  if (word == "vector") return types_.vector(ScalarKind::f32, 4);
  if (word == "matrix") return types_.matrix(ScalarKind::f32, 4, 4);
  auto shaped = [&](ScalarKind s, std::string_view rest) {
    uint32_t r = 0;
    uint32_t c = 0;
    if (!dims(rest, r, c)) return TypeId::none();
    if (c == 0) return r == 0 ? types_.scalar(s) : types_.vector(s, r);
    return hlsl_matrix(s, r, c);
  };
  if (word == "unsigned") return TypeId::u32;
  for (const Word& w : kScalars) {
    if (word.substr(0, w.text.size()) != w.text) continue;
    if (const TypeId t = shaped(w.scalar, word.substr(w.text.size()))) return t;
  }
  for (const Word& w : kSmall) {
    if (word.substr(0, w.text.size()) != w.text) continue;
    const ScalarKind wide = w.scalar == ScalarKind::f16   ? ScalarKind::f32
                            : w.scalar == ScalarKind::i16 ? ScalarKind::i32
                                                          : ScalarKind::u32;
    if (const TypeId t = shaped(options_.native_16bit ? w.scalar : wide, word.substr(w.text.size()))) return t;
  }
  return hlsl_object_type(word, TypeId::none(), 0);
}

TypeId Checker::hlsl_matrix(ScalarKind s, uint32_t rows, uint32_t columns) { return types_.matrix(s, rows, columns); }

TypeId Checker::hlsl_object_type(std::string_view word, TypeId element, uint32_t) {
  for (const TextureWord& w : kTextures) {
    if (w.text != word) continue;
    const TypeId e = element ? element : types_.vector(ScalarKind::f32, 4);
    const Type& t = types_[e];
    if (t.kind != TypeKind::scalar && t.kind != TypeKind::vector) return TypeId::none();
    const uint8_t n = t.kind == TypeKind::scalar ? uint8_t{1} : t.rows;
    if (w.image) return types_.image(w.dim, ImageFormat::any, t.scalar, Access::read_write, w.flags, n);
    return types_.texture(w.dim, t.scalar, w.flags, n);
  }
  for (const ObjectWord& w : kObjects) {
    if (w.text == word) return types_.object(w.kind, element ? element : TypeId::void_);
  }
  return TypeId::none();
}

/// Matrices that are the elements of a buffer lie as those of the whole source do.
void Checker::check_element_major(NodeId n, NodeId arg, TypeId element) {
  while (types_.kind(element) == TypeKind::array) element = types_[element].element;
  if (types_.kind(element) != TypeKind::matrix) return;
  bool row = facts_.row_major_at(tree_[n].token, options_.row_major_default);
  if (tree_.is(arg, NodeKind::qualified_type)) {
    const Qualifiers q = read_qualifiers(tree_.child(arg, 0));
    if (q.major != Majorness::by_default) row = q.major == Majorness::row;
  }
  if (row != options_.row_major_default)
    not_yet(n, "a buffer of matrices whose order differs from that of the source's others");
}

TypeId Checker::hlsl_template_type(NodeId n) {
  const auto [head, args] = tree_.first_children<2>(n);
  const std::string_view word = tree_.name_text(head);
  NodeList list;
  tree_.children(args, list);
  auto type_arg = [&](uint32_t i) { return i < list.size() ? check_type(list[i]) : TypeId::none(); };
  auto number_arg = [&](uint32_t i, uint32_t& out) {
    if (i >= list.size()) return false;
    check_expr(list[i]);
    return constant_u32(list[i], out);
  };
  if (word == "vector" || word == "matrix") {
    const TypeId e = list.size() > 0 ? type_arg(0) : TypeId::f32;
    if (e == TypeId::error) return e;
    uint32_t a = 4;
    uint32_t b = 4;
    const bool is_vector = word == "vector";
    if ((list.size() > 1 && !number_arg(1, a)) || (list.size() > 2 && !number_arg(2, b))) return TypeId::error;
    if (!types_.is_scalar(e) || a < 1 || a > 4 || b < 1 || b > 4) {
      diags_.emit(range(n), diag::bad_type_use, word, "takes a scalar type and sizes from 1 to 4");
      return TypeId::error;
    }
    return is_vector ? types_.vector(types_.scalar_of(e), a) : hlsl_matrix(types_.scalar_of(e), a, b);
  }
  TypeId probe = hlsl_object_type(word, types_.vector(ScalarKind::f32, 4), 0);
  if (!probe) {
    if (word == "SamplerState" || word == "RayQuery") {
      not_yet(n, std::string(word));
      return TypeId::error;
    }
    not_yet(n, "templates");
    return TypeId::error;
  }
  const TypeKind kind = types_.kind(probe);
  if (list.empty()) {
    if (kind == TypeKind::texture || kind == TypeKind::image) return probe;  // float4, as without the brackets
    diags_.emit(range(n), diag::bad_type_use, word, "needs a type argument");
    return TypeId::error;
  }
  const TypeId e = type_arg(0);
  if (e == TypeId::error) return e;
  if (kind == TypeKind::object) check_element_major(n, list[0], e);
  const ScalarKind s = types_.is_numeric(e) ? types_.scalar_of(e) : ScalarKind::none;
  if ((kind == TypeKind::texture || kind == TypeKind::image) && (s == ScalarKind::f64 || s == ScalarKind::bool_)) {
    not_yet(n, std::string(word) + " of `" + type_text(e) + "`");
    return TypeId::error;
  }
  if (kind == TypeKind::object && contains_opaque(e)) {
    diags_.emit(range(n), diag::bad_type_use, word, "cannot hold resources");
    return TypeId::error;
  }
  uint32_t count = 0;
  if (list.size() > 1 && !number_arg(1, count)) return TypeId::error;
  const TypeId t = e ? hlsl_object_type(word, e, count) : TypeId::none();
  if (!t) {
    diags_.emit(range(n), diag::bad_type_use, word, "does not take this type argument");
    return TypeId::error;
  }
  return t;
}

}  // namespace carry::check
