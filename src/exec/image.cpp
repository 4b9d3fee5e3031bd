#include "exec/image.h"

#include <cmath>

#include "exec/check.h"
#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::exec {

Image* image_of(Machine& m, uint32_t id) {
  return id == 0 || id > m.resources->images.size() ? nullptr : &m.resources->images[id - 1];
}

const Sampler* sampler_of(const Machine& m, uint32_t id) {
  return id == 0 || id > m.resources->samplers.size() ? nullptr : &m.resources->samplers[id - 1];
}

TexelPlace texel_place(const Image& image, const Type& type, const int64_t* coord, uint32_t count, int64_t mip,
                       uint32_t sample) {
  TexelPlace p;
  const bool arrayed = (type.flags & kImageArrayed) != 0 || type.dim == Dim::cube;
  const bool one = type.dim == Dim::d1 || type.dim == Dim::buffer;
  const auto take = [&](uint32_t i, uint32_t size, uint32_t& out) {
    const int64_t v = i < count ? coord[i] : 0;
    if (v < 0 || v >= int64_t{size}) p.ok = false;
    out = p.ok ? static_cast<uint32_t>(v) : 0;
  };
  if (mip < 0 || mip >= int64_t{image.mips} || sample >= image.samples) {
    p.ok = false;
    return p;
  }
  p.mip = static_cast<uint32_t>(mip);
  p.sample = sample;
  uint32_t next = 0;
  take(next++, image.mip_width(p.mip), p.x);
  if (!one) take(next++, image.mip_height(p.mip), p.y);
  if (type.dim == Dim::d3) take(next++, image.mip_depth(p.mip), p.z);
  if (arrayed) take(next++, image.layers, p.layer);
  return p;
}

namespace {

uint64_t read_component(const Machine& m, uint32_t row, ScalarKind kind, uint32_t component, uint32_t lane) {
  const bool wide = is_wide(kind);
  return read_row(m, component_row(m, row, wide, component), wide, lane);
}

int64_t signed_coordinate(const Machine& m, uint32_t row, ScalarKind kind, uint32_t component, uint32_t lane) {
  const uint64_t bits = read_component(m, row, kind, component, lane);
  if (kind == ScalarKind::u32) return static_cast<int64_t>(bits);
  return eval::sign_extend(bits, is_wide(kind) ? 64 : kind == ScalarKind::i16 || kind == ScalarKind::u16 ? 16 : 32);
}

void note_outside(Machine& m, const Code& code, const char* what) {
  if (m.checker != nullptr && m.checker->on(kCheckBounds)) m.checker->report(m, kCheckBounds, code.inst, what);
}

float norm(float v, float low, float scale) {
  const float clamped = v != v ? 0.0f : v < low ? low : v > 1.0f ? 1.0f : v;
  return std::nearbyint(clamped * scale) / scale;
}

/// Unsigned small float with `mantissa` bits and 5 exponent bits: toward zero, negative gives 0.
float small_float(float v, int mantissa) {
  if (v != v) return v;
  if (!(v > 0.0f)) return 0.0f;
  if (std::isinf(v)) return v;
  const float largest = std::ldexp(2.0f - std::ldexp(1.0f, -mantissa), 15);
  if (v >= largest) return largest;
  int exponent = 0;
  std::frexp(v, &exponent);
  const int step = (exponent - 1 < -14 ? -14 : exponent - 1) - mantissa;
  return std::ldexp(std::trunc(std::ldexp(v, -step)), step);
}

struct FormatBits {
  enum class Kind : uint8_t { full, half, unorm, snorm, integer, packed_float } kind = Kind::full;
  uint8_t bits[4] = {32, 32, 32, 32};
};

FormatBits format_bits(ImageFormat f) {
  using K = FormatBits::Kind;
  const auto all = [](K k, uint8_t n) { return FormatBits{k, {n, n, n, n}}; };
  switch (f) {
    case ImageFormat::rgba16f:
    case ImageFormat::rg16f:
    case ImageFormat::r16f: return all(K::half, 16);
    case ImageFormat::rgba8:
    case ImageFormat::rg8:
    case ImageFormat::r8: return all(K::unorm, 8);
    case ImageFormat::rgba16:
    case ImageFormat::rg16:
    case ImageFormat::r16: return all(K::unorm, 16);
    case ImageFormat::rgb10_a2: return {K::unorm, {10, 10, 10, 2}};
    case ImageFormat::rgba8_snorm:
    case ImageFormat::rg8_snorm:
    case ImageFormat::r8_snorm: return all(K::snorm, 8);
    case ImageFormat::rgba16_snorm:
    case ImageFormat::rg16_snorm:
    case ImageFormat::r16_snorm: return all(K::snorm, 16);
    case ImageFormat::r11f_g11f_b10f: return {K::packed_float, {6, 6, 5, 0}};
    case ImageFormat::rgba16i:
    case ImageFormat::rg16i:
    case ImageFormat::r16i:
    case ImageFormat::rgba16ui:
    case ImageFormat::rg16ui:
    case ImageFormat::r16ui: return all(K::integer, 16);
    case ImageFormat::rgba8i:
    case ImageFormat::rg8i:
    case ImageFormat::r8i:
    case ImageFormat::rgba8ui:
    case ImageFormat::rg8ui:
    case ImageFormat::r8ui: return all(K::integer, 8);
    case ImageFormat::rgb10_a2ui: return {K::integer, {10, 10, 10, 2}};
    default: return all(K::full, 32);
  }
}

/// Integers past the format's range are clamped, as Vulkan and D3D do.
uint32_t clamp_integer(uint32_t bits, uint32_t width, bool is_signed) {
  if (!is_signed) {
    const uint32_t most = (1u << width) - 1;
    return bits > most ? most : bits;
  }
  const int32_t most = (1 << (width - 1)) - 1;
  const int32_t v = static_cast<int32_t>(bits);
  return static_cast<uint32_t>(v > most ? most : v < -most - 1 ? -most - 1 : v);
}

}  // namespace

void convert_to_format(ImageFormat format, ScalarKind scalar, uint32_t texel[4]) {
  const FormatBits f = format_bits(format);
  const uint32_t count = format == ImageFormat::any ? 4 : image_format_row(format).components;
  for (uint32_t i = 0; i < 4; ++i) {
    if (i >= count) {
      texel[i] = i < 3 ? 0 : is_float(scalar) ? 0x3f800000u : 1u;
      continue;
    }
    const float v = eval::f32_from(texel[i]);
    const float scale = static_cast<float>((uint64_t{1} << f.bits[i]) - 1);
    switch (f.kind) {
      case FormatBits::Kind::full: break;
      case FormatBits::Kind::half:
        texel[i] = static_cast<uint32_t>(eval::f32_bits(eval::f16_from(eval::f16_bits(static_cast<double>(v)))));
        break;
      case FormatBits::Kind::unorm: texel[i] = static_cast<uint32_t>(eval::f32_bits(norm(v, 0.0f, scale))); break;
      case FormatBits::Kind::snorm:
        texel[i] = static_cast<uint32_t>(eval::f32_bits(norm(v, -1.0f, std::floor(scale / 2))));
        break;
      case FormatBits::Kind::packed_float: texel[i] = static_cast<uint32_t>(eval::f32_bits(small_float(v, f.bits[i]))); break;
      case FormatBits::Kind::integer: texel[i] = clamp_integer(texel[i], f.bits[i], is_signed_int(scalar)); break;
    }
  }
}

uint32_t texel_component(const Image& image, const uint32_t* texel, uint32_t c) {
  const bool held = image.format == ImageFormat::any || c < image_format_row(image.format).components;
  return held ? texel[c] : c < 3 ? 0 : is_float(image.scalar) ? 0x3f800000u : 1u;
}

uint32_t* texel_word(Machine& m, const Address& a, uint32_t lane) {
  Image* image = image_of(m, m.regs[a.image_row + lane]);
  if (image == nullptr) return nullptr;
  int64_t coord[4] = {};
  const uint32_t count = a.coord_count < 4 ? a.coord_count : 4;
  for (uint32_t i = 0; i < count; ++i) coord[i] = static_cast<int32_t>(m.regs[a.coord_row + i * m.stride + lane]);
  const uint32_t sample = a.sample_row == kNoRow ? 0 : m.regs[a.sample_row + lane];
  const TexelPlace p = texel_place(*image, m.module->types()[a.image_type], coord, count, 0, sample);
  return p.ok ? image->words.data() + image->word_index(p.mip, p.layer, p.z, p.y, p.x, p.sample) : nullptr;
}

namespace {

TexelPlace operand_place(Machine& m, const ImageOp& op, const Image& image, uint32_t lane) {
  int64_t coord[4] = {};
  const uint32_t count = op.coord_count < 4 ? op.coord_count : 4;
  for (uint32_t i = 0; i < count; ++i) {
    coord[i] = signed_coordinate(m, op.coord, op.coord_kind, i, lane);
    if (op.offset != kNoRow && i < op.offset_count) coord[i] += static_cast<int32_t>(m.regs[op.offset + i * m.stride + lane]);
  }
  const int64_t mip = op.lod == kNoRow ? 0 : static_cast<int32_t>(m.regs[op.lod + lane]);
  const uint32_t sample = op.sample == kNoRow ? 0 : m.regs[op.sample + lane];
  return texel_place(image, m.module->types()[op.image_type], coord, count, mip, sample);
}

/// A combined handle keeps its image in the low half.
uint32_t image_id(const Machine& m, const ImageOp& op, uint32_t lane) {
  return op.combined ? static_cast<uint32_t>(m.at<uint64_t>(op.image)[lane]) : m.regs[op.image + lane];
}

}  // namespace

void op_fetch(Machine& m, const Code& code) {
  const ImageOp& op = m.program->image_ops[code.aux];
  for_active(m, [&](uint32_t i) {
    const Image* image = image_of(m, image_id(m, op, i));
    TexelPlace p;
    p.ok = false;
    if (image != nullptr) p = operand_place(m, op, *image, i);
    if (!p.ok) note_outside(m, code, "texel read out of bounds");
    const bool wide = is_wide(op.dst_kind);
    for (uint32_t c = 0; c < op.dst_count; ++c) {
      uint64_t bits = 0;
      if (image != nullptr) {  // out of bounds, components that the format has are 0; those that it lacks are 0, 0, 1 as ever
        static constexpr uint32_t kOutside[4] = {};
        const uint32_t* texel = kOutside;
        if (p.ok) texel = image->words.data() + image->word_index(p.mip, p.layer, p.z, p.y, p.x, p.sample);
        if (image->words_per_texel() == 2) {
          bits = c == 0 ? texel[0] | uint64_t{texel[1]} << 32 : c == 3 ? 1 : 0;
        } else {
          bits = texel_component(*image, texel, c);
          if (op.dst_kind == ScalarKind::f16) bits = eval::f16_bits(static_cast<double>(eval::f32_from(bits)));
        }
      }
      write_row(m, component_row(m, op.dst, wide, c), wide, i, bits);
    }
  });
}

void op_image_write(Machine& m, const Code& code) {
  const ImageOp& op = m.program->image_ops[code.aux];
  const ImageFormat declared = m.module->types()[op.image_type].format;
  for_active(m, [&](uint32_t i) {
    if (!m.helper.empty() && m.helper[i] != 0) return;
    Image* image = image_of(m, image_id(m, op, i));
    TexelPlace p;
    p.ok = false;
    if (image != nullptr) p = operand_place(m, op, *image, i);
    if (!p.ok) return note_outside(m, code, "texel write out of bounds");
    uint32_t* texel = image->words.data() + image->word_index(p.mip, p.layer, p.z, p.y, p.x, p.sample);
    if (image->words_per_texel() == 2) {
      const uint64_t bits = read_component(m, op.value, op.dst_kind, 0, i);
      texel[0] = static_cast<uint32_t>(bits);
      texel[1] = static_cast<uint32_t>(bits >> 32);
      return;
    }
    uint32_t value[4] = {0, 0, 0, is_float(image->scalar) ? 0x3f800000u : 1u};
    for (uint32_t c = 0; c < op.value_count && c < 4; ++c) {
      uint64_t bits = read_component(m, op.value, op.dst_kind, c, i);
      if (op.dst_kind == ScalarKind::f16) bits = eval::f32_bits(eval::f16_from(bits));
      value[c] = static_cast<uint32_t>(bits);
    }
    convert_to_format(declared == ImageFormat::any ? image->format : declared, image->scalar, value);
    for (uint32_t c = 0; c < 4; ++c) texel[c] = value[c];
  });
}

void op_image_query(Machine& m, const Code& code) {
  const ImageOp& op = m.program->image_ops[code.aux];
  const Type& type = m.module->types()[op.image_type];
  for_active(m, [&](uint32_t i) {
    const Image* image = image_of(m, image_id(m, op, i));
    uint32_t out[4] = {};
    if (image != nullptr && op.op == Op::image_levels) out[0] = image->mips;
    if (image != nullptr && op.op == Op::image_samples) out[0] = image->samples;
    if (image != nullptr && op.op == Op::image_size) {
      const uint32_t mip = op.lod == kNoRow ? 0 : m.regs[op.lod + i];
      const bool one = type.dim == Dim::d1 || type.dim == Dim::buffer;
      uint32_t n = 0;
      if (mip < image->mips) {
        out[n++] = image->mip_width(mip);
        if (!one) out[n++] = image->mip_height(mip);
        if (type.dim == Dim::d3) out[n++] = image->mip_depth(mip);
        if ((type.flags & kImageArrayed) != 0) out[n++] = type.dim == Dim::cube ? image->layers / 6 : image->layers;
      }
    }
    for (uint32_t c = 0; c < op.dst_count; ++c) m.regs[component_row(m, op.dst, false, c) + i] = out[c];
  });
}

}  // namespace carry::exec
