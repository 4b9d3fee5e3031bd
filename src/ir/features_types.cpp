// Types: what stands in them, at any depth.
#include "ir/features_scanner.h"

#include <algorithm>

namespace carry::ir {

namespace {

constexpr uint32_t kLargeArray = 65536;

bool is_norm16(ImageFormat f) {
  return f == ImageFormat::rgba16 || f == ImageFormat::rg16 || f == ImageFormat::r16 || f == ImageFormat::rgba16_snorm ||
         f == ImageFormat::rg16_snorm || f == ImageFormat::r16_snorm;
}

}  // namespace

void Scanner::scalar(ScalarKind s) {
  switch (s) {
    case ScalarKind::i64:
    case ScalarKind::u64: add(Feature::int64); break;
    case ScalarKind::i16:
    case ScalarKind::u16: add(Feature::int16); break;
    case ScalarKind::i8:
    case ScalarKind::u8: add(Feature::int8); break;
    case ScalarKind::f16: add(Feature::f16); break;
    case ScalarKind::f64: add(Feature::f64); break;
    default: break;
  }
}

/// bit 1: visited; bit 2: bool inside; bit 4: handle inside.
uint8_t Scanner::type(TypeId id) {
  if (!id || id.value >= m_.types().size()) return 0;
  if (id.value >= seen_.size()) seen_.resize(m_.types().size(), 0);
  if (seen_[id.value] != 0) return seen_[id.value];
  seen_[id.value] = 1;
  const Type& t = m_.types()[id];
  uint8_t result = 1;
  scalar(t.scalar);
  if (t.scalar == ScalarKind::bool_) result |= 2;
  if (t.kind == TypeKind::vector && scalar_bits(t.scalar) == 64 && is_int(t.scalar)) add(Feature::int64_vector);
  switch (t.kind) {
    case TypeKind::array:
      if (t.count_override != Id<TypeId>::kNone) add(Feature::override_array);
      result = static_cast<uint8_t>(result | type(t.element));
      break;
    case TypeKind::bindings:
      if (m_.types().kind(t.element) == TypeKind::image && m_.types()[t.element].access != Access::read)
        add(Feature::image_array_write);
      result = static_cast<uint8_t>(result | type(t.element));
      break;
    case TypeKind::struct_:
      for (const Member& member : m_.types().struct_decl(id).members) result = static_cast<uint8_t>(result | type(member.type));
      break;
    case TypeKind::pointer:
      if ((type(t.element) & 2) != 0 && t.layout) add(Feature::bool_in_memory);
      if (t.layout && !m_.layouts_in_types) add(Feature::laid_out_pointer);
      if (t.layout && crossed_[t.layout.value]) add(Feature::crossed_array);
      if (t.space == Space::physical) add(Feature::physical_pointer);
      result = static_cast<uint8_t>(t.space == Space::function ? result | (type(t.element) & 4) : 5);
      if (t.space == Space::function && (type(t.element) & 4) != 0) add(Feature::resource_in_memory);
      break;
    case TypeKind::combined:
      add(Feature::combined_sampler);
      texture(m_.types()[t.element]);
      result |= 4;
      break;
    case TypeKind::accel:
    case TypeKind::ray_query:
      add(Feature::ray_stage);
      result |= 4;
      break;
    case TypeKind::texture:
    case TypeKind::image:
      texture(t);
      result |= 4;
      break;
    case TypeKind::sampler: result |= 4; break;
    default: break;
  }
  seen_[id.value] = result;
  return result;
}

void Scanner::texture(const Type& t) {
  const bool layers = (t.flags & kImageArrayed) != 0, samples = (t.flags & kImageMultisampled) != 0;
  if (layers && (t.dim == Dim::d1 || samples)) add(Feature::array_dimension);
  if (layers && samples) add(Feature::multisampled_array);
  if ((t.flags & kImageDepth) != 0 && t.dim == Dim::d1) add(Feature::compare_1d);
  if (t.kind != TypeKind::image) return;
  if (t.dim == Dim::cube || samples) add(Feature::image_dimension);
  if (t.format == ImageFormat::any) add(Feature::image_format);
  if (is_norm16(t.format)) add(Feature::image_norm16);
  const bool word = t.format == ImageFormat::r32ui || t.format == ImageFormat::r32i || t.format == ImageFormat::r32f;
  if (!word && t.access != Access::read && t.access != Access::write) add(Feature::image_read_write);
}

bool Scanner::has_empty_struct(TypeId id) const {
  const Type& t = m_.types()[id];
  if (t.kind == TypeKind::array || t.kind == TypeKind::bindings) return has_empty_struct(t.element);
  if (t.kind != TypeKind::struct_) return false;
  const std::vector<Member>& members = m_.types().struct_decl(id).members;
  return members.empty() ||
         std::any_of(members.begin(), members.end(), [this](const Member& m) { return has_empty_struct(m.type); });
}

bool Scanner::has_unsized(TypeId id) const {
  const Type& t = m_.types()[id];
  if (t.kind == TypeKind::array) return (t.count == 0 && t.count_override == Id<TypeId>::kNone) || has_unsized(t.element);
  if (t.kind != TypeKind::struct_) return false;
  for (const Member& member : m_.types().struct_decl(id).members) {
    if (has_unsized(member.type)) return true;
  }
  return false;
}

bool Scanner::has_large(TypeId id) const {
  const Type& t = m_.types()[id];
  if (t.kind == TypeKind::array) return t.count >= kLargeArray || has_large(t.element);
  if (t.kind != TypeKind::struct_) return false;
  for (const Member& member : m_.types().struct_decl(id).members) {
    if (has_large(member.type)) return true;
  }
  return false;
}

}  // namespace carry::ir
