#include "check/type_text.h"

namespace carry::check {
namespace {

const char* hlsl_scalar(ScalarKind s) {
  switch (s) {
    case ScalarKind::bool_: return "bool";
    case ScalarKind::i8: return "int8_t";
    case ScalarKind::i16: return "int16_t";
    case ScalarKind::i32: return "int";
    case ScalarKind::i64: return "int64_t";
    case ScalarKind::u8: return "uint8_t";
    case ScalarKind::u16: return "uint16_t";
    case ScalarKind::u32: return "uint";
    case ScalarKind::u64: return "uint64_t";
    case ScalarKind::f16: return "half";
    case ScalarKind::f32: return "float";
    case ScalarKind::f64: return "double";
    case ScalarKind::lit_int: return "literal int";
    case ScalarKind::lit_float: return "literal float";
    case ScalarKind::none: break;
  }
  return "void";
}

std::string glsl_scalar(ScalarKind s) { return s == ScalarKind::f16 ? "float16_t" : hlsl_scalar(s); }

const char* glsl_vector_prefix(ScalarKind s) {
  switch (s) {
    case ScalarKind::bool_: return "b";
    case ScalarKind::i8: return "i8";
    case ScalarKind::i16: return "i16";
    case ScalarKind::i32: return "i";
    case ScalarKind::i64: return "i64";
    case ScalarKind::u8: return "u8";
    case ScalarKind::u16: return "u16";
    case ScalarKind::u32: return "u";
    case ScalarKind::u64: return "u64";
    case ScalarKind::f16: return "f16";
    case ScalarKind::f64: return "d";
    default: return "";
  }
}

const char* dim_text(Dim d) {
  switch (d) {
    case Dim::d1: return "1D";
    case Dim::d2: return "2D";
    case Dim::d3: return "3D";
    case Dim::cube: return "Cube";
    case Dim::buffer: return "Buffer";
    case Dim::rect: return "2DRect";
    case Dim::subpass: return "";
  }
  return "";
}

std::string image_name(const Type& t, bool glsl, const char* base) {
  std::string s;
  if (glsl && is_int(t.scalar)) s += is_signed_int(t.scalar) ? "i" : "u";
  s += base;
  s += dim_text(t.dim);
  if ((t.flags & kImageMultisampled) != 0) s += "MS";
  if ((t.flags & kImageArrayed) != 0) s += "Array";
  if ((t.flags & kImageDepth) != 0) s += "Shadow";
  return s;
}

const char* object_text(ObjectKind k) {
  switch (k) {
    case ObjectKind::constant_buffer: return "ConstantBuffer";
    case ObjectKind::texture_buffer: return "TextureBuffer";
    case ObjectKind::structured_buffer: return "StructuredBuffer";
    case ObjectKind::rw_structured_buffer: return "RWStructuredBuffer";
    case ObjectKind::append_buffer: return "AppendStructuredBuffer";
    case ObjectKind::consume_buffer: return "ConsumeStructuredBuffer";
    case ObjectKind::byte_address_buffer: return "ByteAddressBuffer";
    case ObjectKind::rw_byte_address_buffer: return "RWByteAddressBuffer";
    case ObjectKind::rov_structured_buffer: return "RasterizerOrderedStructuredBuffer";
    case ObjectKind::rov_byte_address_buffer: return "RasterizerOrderedByteAddressBuffer";
    case ObjectKind::input_patch: return "InputPatch";
    case ObjectKind::output_patch: return "OutputPatch";
    case ObjectKind::point_stream: return "PointStream";
    case ObjectKind::line_stream: return "LineStream";
    case ObjectKind::triangle_stream: return "TriangleStream";
    case ObjectKind::feedback_texture: return "FeedbackTexture2D";
    case ObjectKind::buffer_reference:
    case ObjectKind::none: break;
  }
  return "object";
}

}  // namespace

std::string type_text(const TypeTable& types, const Names& names, TypeId id, const LanguageMode& mode) {
  if (!id) return "<none>";
  const Type& t = types[id];
  const bool glsl = mode.is_glsl();
  switch (t.kind) {
    case TypeKind::error: return "<error>";
    case TypeKind::void_: return "void";
    case TypeKind::scalar: return glsl ? glsl_scalar(t.scalar) : hlsl_scalar(t.scalar);
    case TypeKind::vector:
      if (glsl) return std::string(glsl_vector_prefix(t.scalar)) + "vec" + std::to_string(t.rows);
      return hlsl_scalar(t.scalar) + std::to_string(t.rows);
    case TypeKind::matrix:
      if (!glsl) return hlsl_scalar(t.scalar) + std::to_string(t.columns) + "x" + std::to_string(t.rows);
      return std::string(glsl_vector_prefix(t.scalar)) + "mat" + std::to_string(t.columns) +
             (t.rows == t.columns ? std::string() : "x" + std::to_string(t.rows));
    case TypeKind::array: {
      std::string dims;
      TypeId e = id;
      while (types.kind(e) == TypeKind::array) {
        const Type& a = types[e];
        dims += a.count_override != Id<TypeId>::kNone ? std::string("[...]")
                : a.count == 0                        ? std::string("[]")
                                                      : "[" + std::to_string(a.count) + "]";
        e = a.element;
      }
      return type_text(types, names, e, mode) + dims;
    }
    case TypeKind::struct_: {
      const std::string_view n = names.text(types.struct_decl(id).name);
      return n.empty() ? std::string("<anonymous struct>") : std::string(n);
    }
    case TypeKind::texture: return image_name(t, glsl, glsl ? "texture" : "Texture");
    case TypeKind::image: return image_name(t, glsl, glsl ? (t.dim == Dim::subpass ? "subpassInput" : "image") : "RWTexture");
    case TypeKind::sampler:
      return (t.flags & kSamplerComparison) != 0 ? (glsl ? "samplerShadow" : "SamplerComparisonState")
                                                 : (glsl ? "sampler" : "SamplerState");
    case TypeKind::combined: return image_name(types[t.element], glsl, "sampler");
    case TypeKind::object: {
      if (t.object == ObjectKind::buffer_reference) return type_text(types, names, t.element, mode);
      std::string s = object_text(t.object);
      if (t.element && t.element != TypeId::void_ && t.object != ObjectKind::byte_address_buffer &&
          t.object != ObjectKind::rw_byte_address_buffer) {
        s += "<" + type_text(types, names, t.element, mode) + ">";
      }
      return s;
    }
    case TypeKind::accel: return glsl ? "accelerationStructureEXT" : "RaytracingAccelerationStructure";
    case TypeKind::ray_query: return glsl ? "rayQueryEXT" : "RayQuery";
    case TypeKind::string: return "string";
    case TypeKind::bindings: return type_text(types, names, t.element, mode) + "[]";
    default: return "<type>";
  }
}

}  // namespace carry::check
