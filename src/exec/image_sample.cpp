// Filtering: addresses, levels, weights. All in f32, in the order that the Vulkan specification writes it.
#include <algorithm>
#include <cmath>

#include "exec/image.h"
#include "ops/eval/float_bits.h"

namespace carry::exec {

namespace {

struct Query {
  const Image* image = nullptr;
  const Sampler* sampler = nullptr;
  Dim dim{};
  bool compare = false;
  float reference = 0;
  uint32_t layer = 0;  // cube: the face is added
  int32_t offset[3] = {};
};

struct Texel {
  uint32_t words[4] = {};
};

constexpr float kFar = 1e9f;  // coordinates past this are one address

int32_t wrap(int32_t i, int32_t size, AddressMode mode, bool& border) {
  switch (mode) {
    case AddressMode::repeat: return static_cast<int32_t>(((int64_t{i} % size) + size) % size);
    case AddressMode::mirror: {
      const int64_t period = int64_t{size} * 2;
      const int64_t k = ((i % period) + period) % period;
      return static_cast<int32_t>(k < size ? k : period - 1 - k);
    }
    case AddressMode::border:
      if (i < 0 || i >= size) border = true;
      return std::clamp(i, 0, size - 1);
    case AddressMode::clamp: break;
  }
  return std::clamp(i, 0, size - 1);
}

// ---- cube maps ----

void face_direction(uint32_t face, float s, float t, float d[3]) {
  switch (face) {
    case 0:
      d[0] = 1;
      d[1] = -t;
      d[2] = -s;
      break;
    case 1:
      d[0] = -1;
      d[1] = -t;
      d[2] = s;
      break;
    case 2:
      d[0] = s;
      d[1] = 1;
      d[2] = t;
      break;
    case 3:
      d[0] = s;
      d[1] = -1;
      d[2] = -t;
      break;
    case 4:
      d[0] = s;
      d[1] = -t;
      d[2] = 1;
      break;
    default:
      d[0] = -s;
      d[1] = -t;
      d[2] = -1;
      break;
  }
}

/// Face and coordinates in [0, 1]; on ties z wins over y over x.
uint32_t cube_face(const float d[3], float& s, float& t) {
  const float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  uint32_t face = 0;
  float major = 1, sc = 0, tc = 0;
  if (z >= x && z >= y) {
    face = d[2] < 0 ? 5 : 4;
    major = z;
    sc = d[2] < 0 ? -d[0] : d[0];
    tc = -d[1];
  } else if (y >= x) {
    face = d[1] < 0 ? 3 : 2;
    major = y;
    sc = d[0];
    tc = d[1] < 0 ? -d[2] : d[2];
  } else {
    face = d[0] < 0 ? 1 : 0;
    major = x;
    sc = d[0] < 0 ? d[2] : -d[2];
    tc = -d[1];
  }
  s = 0.5f * (sc / major + 1.0f);
  t = 0.5f * (tc / major + 1.0f);
  return face;
}

/// A texel past the edge of a face stands on the neighbour.
void cross_edge(uint32_t& face, int32_t& x, int32_t& y, int32_t size) {
  if (x >= 0 && y >= 0 && x < size && y < size) return;
  const float n = static_cast<float>(size);
  float d[3];
  face_direction(face, 2.0f * (static_cast<float>(x) + 0.5f) / n - 1.0f, 2.0f * (static_cast<float>(y) + 0.5f) / n - 1.0f, d);
  float s = 0, t = 0;
  face = cube_face(d, s, t);
  x = std::clamp(static_cast<int32_t>(std::floor(s * n)), 0, size - 1);
  y = std::clamp(static_cast<int32_t>(std::floor(t * n)), 0, size - 1);
}

// ---- texels ----

bool compare(CompareOp op, float reference, float v) {
  switch (op) {
    case CompareOp::never: return false;
    case CompareOp::less: return reference < v;
    case CompareOp::equal: return reference == v;
    case CompareOp::less_equal: return reference <= v;
    case CompareOp::greater: return reference > v;
    case CompareOp::not_equal: return reference != v;
    case CompareOp::greater_equal: return reference >= v;
    case CompareOp::always: return true;
  }
  return false;
}

Texel read_texel(const Query& q, uint32_t mip, uint32_t layer, int32_t x, int32_t y, int32_t z) {
  const Image& image = *q.image;
  const Sampler& s = *q.sampler;
  Texel t;
  bool border = false;
  const int32_t w = static_cast<int32_t>(image.mip_width(mip));
  const int32_t h = static_cast<int32_t>(image.mip_height(mip));
  const int32_t d = static_cast<int32_t>(image.mip_depth(mip));
  if (q.dim == Dim::cube) {
    uint32_t face = layer % 6;
    const uint32_t first = layer - face;
    cross_edge(face, x, y, w);
    layer = first + face;
    y = std::clamp(y, 0, h - 1);
  } else {
    x = wrap(x, w, s.u, border);
    y = q.dim == Dim::d1 ? 0 : wrap(y, h, s.v, border);
    z = q.dim == Dim::d3 ? wrap(z, d, s.w, border) : 0;
  }
  if (layer >= image.layers) return t;
  const uint64_t at =
      image.word_index(mip, layer, static_cast<uint32_t>(z), static_cast<uint32_t>(y), static_cast<uint32_t>(x));
  if (!border && at + 4 > image.words.size()) return t;
  for (uint32_t c = 0; c < 4; ++c) {
    t.words[c] = border ? static_cast<uint32_t>(eval::f32_bits(s.border[c])) : texel_component(image, &image.words[at], c);
  }
  if (q.compare) {
    const float v = compare(s.compare, q.reference, eval::f32_from(t.words[0])) ? 1.0f : 0.0f;
    t.words[0] = static_cast<uint32_t>(eval::f32_bits(v));
  }
  return t;
}

/// Offsets past any device's limit are cut, so that sums stay in range.
int32_t offset_operand(const Machine& m, uint32_t row, uint32_t component, uint32_t lane) {
  return std::clamp(static_cast<int32_t>(m.regs[row + component * m.stride + lane]), -4096, 4096);
}

struct Axis {
  int32_t low = 0, high = 0;
  float weight = 0;  // of high
};

Axis axis(float coordinate, uint32_t size, int32_t offset, bool linear, bool normalised) {
  float u = normalised ? coordinate * static_cast<float>(size) : coordinate;
  if (!(u > -kFar)) u = -kFar;  // NaN too
  if (u > kFar) u = kFar;
  Axis a;
  if (!linear) {
    a.low = a.high = static_cast<int32_t>(std::floor(u)) + offset;
    return a;
  }
  u -= 0.5f;
  const float whole = std::floor(u);
  a.low = static_cast<int32_t>(whole) + offset;
  a.high = a.low + 1;
  a.weight = u - whole;
  return a;
}

Texel sample_level(const Query& q, uint32_t mip, const float coord[3], uint32_t layer, Filter filter) {
  const Image& image = *q.image;
  const bool linear = filter == Filter::linear && is_float(image.scalar);
  const bool normalised = !q.sampler->unnormalised;
  const Axis x = axis(coord[0], image.mip_width(mip), q.offset[0], linear, normalised);
  const Axis y = q.dim == Dim::d1 ? Axis{} : axis(coord[1], image.mip_height(mip), q.offset[1], linear, normalised);
  const Axis z = q.dim == Dim::d3 ? axis(coord[2], image.mip_depth(mip), q.offset[2], linear, normalised) : Axis{};
  if (!linear) return read_texel(q, mip, layer, x.low, y.low, z.low);
  float sum[4] = {};
  for (uint32_t corner = 0; corner < 8; ++corner) {
    const bool hx = (corner & 1) != 0, hy = (corner & 2) != 0, hz = (corner & 4) != 0;
    if ((hy && q.dim == Dim::d1) || (hz && q.dim != Dim::d3)) continue;
    const float wx = hx ? x.weight : 1.0f - x.weight;
    const float wy = q.dim == Dim::d1 ? 1.0f : hy ? y.weight : 1.0f - y.weight;
    const float wz = q.dim != Dim::d3 ? 1.0f : hz ? z.weight : 1.0f - z.weight;
    const float weight = wx * wy * wz;
    if (weight == 0.0f) continue;
    const Texel t = read_texel(q, mip, layer, hx ? x.high : x.low, hy ? y.high : y.low, hz ? z.high : z.low);
    for (uint32_t c = 0; c < 4; ++c) sum[c] += weight * eval::f32_from(t.words[c]);
  }
  Texel t;
  for (uint32_t c = 0; c < 4; ++c) t.words[c] = static_cast<uint32_t>(eval::f32_bits(sum[c]));
  return t;
}

Texel sample_lod(const Query& q, const float coord[3], uint32_t layer, float lod) {
  const Sampler& s = *q.sampler;
  const float most = static_cast<float>(q.image->mips - 1);
  lod = std::clamp(lod == lod ? lod : 0.0f, s.min_lod, std::max(s.min_lod, s.max_lod));
  const Filter filter = lod <= 0.0f ? s.mag : s.min;
  lod = std::clamp(lod, 0.0f, most);
  if (s.mip == Filter::nearest || !is_float(q.image->scalar)) {
    return sample_level(q, static_cast<uint32_t>(std::clamp(std::ceil(lod + 0.5f) - 1.0f, 0.0f, most)), coord, layer, filter);
  }
  const float low = std::floor(lod);
  const float weight = lod - low;
  Texel a = sample_level(q, static_cast<uint32_t>(low), coord, layer, filter);
  if (weight == 0.0f) return a;
  const Texel b = sample_level(q, static_cast<uint32_t>(low) + 1, coord, layer, filter);
  for (uint32_t c = 0; c < 4; ++c) {
    const float v = (1.0f - weight) * eval::f32_from(a.words[c]) + weight * eval::f32_from(b.words[c]);
    a.words[c] = static_cast<uint32_t>(eval::f32_bits(v));
  }
  return a;
}

// ---- operands ----

float float_operand(const Machine& m, uint32_t row, ScalarKind kind, uint32_t component, uint32_t lane) {
  const bool wide = is_wide(kind);
  return static_cast<float>(eval::float_value(kind, read_row(m, component_row(m, row, wide, component), wide, lane)));
}

float lod_of(const Machine& m, const ImageOp& op, const Query& q, uint32_t lane) {
  float lod = q.sampler->lod_bias;
  if (op.lod != kNoRow) lod = float_operand(m, op.lod, op.lod_kind, 0, lane) + q.sampler->lod_bias;
  if (op.bias != kNoRow) lod += float_operand(m, op.bias, op.lod_kind, 0, lane);
  if (op.ddx != kNoRow && q.dim != Dim::cube) {
    const float size[3] = {static_cast<float>(q.image->width), static_cast<float>(q.image->height),
                           static_cast<float>(q.image->depth)};
    float x = 0, y = 0;
    for (uint32_t c = 0; c < op.grad_count && c < 3; ++c) {
      const float dx = float_operand(m, op.ddx, op.coord_kind, c, lane) * size[c];
      const float dy = float_operand(m, op.ddy, op.coord_kind, c, lane) * size[c];
      x += dx * dx;
      y += dy * dy;
    }
    lod += 0.5f * std::log2(std::max(x, y));
  }
  if (op.min_lod != kNoRow) lod = std::max(lod, float_operand(m, op.min_lod, op.lod_kind, 0, lane));
  return lod;
}

Texel gather(const Machine& m, const ImageOp& op, Query& q, const float coord[3], uint32_t layer, uint32_t lane) {
  // (0,1) (1,1) (1,0) (0,0) of the footprint.
  constexpr bool kRight[4] = {false, true, true, false};
  constexpr bool kDown[4] = {true, true, false, false};
  Texel out;
  const bool normalised = !q.sampler->unnormalised;
  for (uint32_t k = 0; k < 4; ++k) {
    int32_t ox = q.offset[0], oy = q.offset[1];
    if (op.offsets != kNoRow) {
      ox = offset_operand(m, op.offsets, 2 * k, lane);
      oy = offset_operand(m, op.offsets, 2 * k + 1, lane);
    }
    const Axis x = axis(coord[0], q.image->width, ox, true, normalised);
    const Axis y = axis(coord[1], q.image->height, oy, true, normalised);
    // With four offsets each names the (0,0) texel of its own footprint.
    const bool right = op.offsets == kNoRow && kRight[k], down = op.offsets == kNoRow && kDown[k];
    const Texel t = read_texel(q, 0, layer, right ? x.high : x.low, down ? y.high : y.low, 0);
    out.words[k] = t.words[q.compare ? 0 : op.gather_component & 3];
  }
  return out;
}

void sample_lane(Machine& m, const ImageOp& op, uint32_t lane) {
  Query q;
  q.dim = m.module->types()[op.image_type].dim;
  const bool arrayed = (m.module->types()[op.image_type].flags & kImageArrayed) != 0;
  const uint32_t image = op.combined ? static_cast<uint32_t>(m.at<uint64_t>(op.image)[lane]) : m.regs[op.image + lane];
  const uint32_t sampler =
      op.combined ? static_cast<uint32_t>(m.at<uint64_t>(op.image)[lane] >> 32) : m.regs[op.sampler + lane];
  q.image = image_of(m, image);
  q.sampler = sampler_of(m, sampler);
  Texel t;
  if (q.image != nullptr && q.sampler != nullptr) {
    uint32_t count = std::min(op.coord_count, 4u);
    float coord[4] = {};
    for (uint32_t c = 0; c < count; ++c) coord[c] = float_operand(m, op.coord, op.coord_kind, c, lane);
    q.compare = op.compare != kNoRow;
    if (q.compare) q.reference = float_operand(m, op.compare, op.coord_kind, 0, lane);
    if ((op.mask & ir::kSampleProject) != 0 && count > 0) {
      --count;
      for (uint32_t c = 0; c < count; ++c) coord[c] /= coord[count];
      if (q.compare) q.reference /= coord[count];
    }
    for (uint32_t c = 0; c < op.offset_count && c < 3 && op.offset != kNoRow; ++c) {
      q.offset[c] = offset_operand(m, op.offset, c, lane);
    }
    uint32_t layer = 0;
    const uint32_t layers = q.dim == Dim::cube ? std::max(1u, q.image->layers / 6) : q.image->layers;
    if (arrayed && count > 0) {
      const float at = std::nearbyint(coord[count - 1]);
      layer = at > 0 ? static_cast<uint32_t>(std::min(at, static_cast<float>(layers - 1))) : 0;
    }
    if (q.dim == Dim::cube) {
      float s = 0, u = 0;
      const uint32_t face = cube_face(coord, s, u);
      layer = layer * 6 + face;
      coord[0] = s;
      coord[1] = u;
    }
    if (op.op == Op::gather) {
      t = gather(m, op, q, coord, layer, lane);
    } else {
      t = sample_lod(q, coord, layer, lod_of(m, op, q, lane));
    }
  }
  for (uint32_t c = 0; c < op.dst_count; ++c) {
    uint64_t bits = t.words[c];
    if (op.dst_kind == ScalarKind::f16) bits = eval::f16_bits(static_cast<double>(eval::f32_from(bits)));
    write_row(m, component_row(m, op.dst, is_wide(op.dst_kind), c), is_wide(op.dst_kind), lane, bits);
  }
}

}  // namespace

void op_sample(Machine& m, const Code& code) {
  const ImageOp& op = m.program->image_ops[code.aux];
  for_active(m, [&](uint32_t i) { sample_lane(m, op, i); });
}

}  // namespace carry::exec
