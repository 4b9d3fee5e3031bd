// Operations whose result depends on several components.
#include <cmath>

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::eval {

namespace {

/// Floats of one kind with a rounding after each step.
struct Vectors {
  ScalarKind s;
  uint32_t n;
  std::span<const uint64_t> a;
  std::span<uint64_t> r;

  [[nodiscard]] double at(uint32_t operand, uint32_t i) const { return float_value(s, a[operand * n + i]); }
  [[nodiscard]] double round(double v) const { return float_value(s, float_bits(s, v)); }
  void set(uint32_t i, double v) const { r[i] = float_bits(s, v); }

  [[nodiscard]] double dot(uint32_t p, uint32_t q) const {
    double sum = round(at(p, 0) * at(q, 0));
    for (uint32_t i = 1; i < n; ++i) sum = round(sum + round(at(p, i) * at(q, i)));
    return sum;
  }
  [[nodiscard]] double distance() const {
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
      const double d = round(at(0, i) - at(1, i));
      sum = i == 0 ? round(d * d) : round(sum + round(d * d));
    }
    return std::sqrt(sum);
  }
  void cross() const {
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
      set(i, round(at(0, j) * at(1, k)) - round(at(0, k) * at(1, j)));
    }
  }
  void normalize() const {
    const double length = round(std::sqrt(dot(0, 0)));
    for (uint32_t i = 0; i < n; ++i) set(i, at(0, i) / length);
  }
  // N, I, Nref: N if dot(Nref, I) < 0, else -N
  void faceforward() const {
    const bool keep = dot(2, 1) < 0;
    for (uint32_t i = 0; i < n; ++i) set(i, keep ? at(0, i) : -at(0, i));
  }
  // I - 2 * dot(N, I) * N
  void reflect() const {
    const double d = round(2.0 * dot(1, 0));
    for (uint32_t i = 0; i < n; ++i) set(i, at(0, i) - round(d * at(1, i)));
  }
  // k = 1 - eta * eta * (1 - dot(N, I)^2); k < 0 ? 0 : eta * I - (eta * dot(N, I) + sqrt(k)) * N
  void refract() const {
    const double eta = float_value(s, a[2 * n]), d = dot(1, 0);
    const double k = round(1.0 - round(round(eta * eta) * round(1.0 - round(d * d))));
    const double scale = round(round(eta * d) + round(std::sqrt(k)));
    for (uint32_t i = 0; i < n; ++i) set(i, k < 0 ? 0.0 : round(eta * at(0, i)) - round(scale * at(1, i)));
  }
};

bool eval_geometry(Op op, const Vectors& v) {
  switch (op) {
    case Op::dot: v.set(0, v.dot(0, 1)); return true;
    case Op::length: v.set(0, std::sqrt(v.dot(0, 0))); return true;
    case Op::distance: v.set(0, v.distance()); return true;
    case Op::cross: v.cross(); return v.n == 3;
    case Op::normalize: v.normalize(); return true;
    case Op::faceforward: v.faceforward(); return true;
    case Op::reflect: v.reflect(); return true;
    case Op::refract: v.refract(); return true;
    default: return false;
  }
}

/// Clamps, scales and rounds half to even (semantics.md 4.2 "pack norm"); NaN packs as 0.
uint64_t pack_norm(uint64_t f32, double low, double scale, uint32_t width) {
  const double v = static_cast<double>(f32_from(f32));
  if (v != v) return 0;
  const double clamped = v < low ? low : v > 1.0 ? 1.0 : v;
  // The product is rounded to f32, as every target computes it, before it is rounded to an integer.
  const float scaled = static_cast<float>(clamped) * static_cast<float>(scale);
  return cut(static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(scaled))), width);
}

void pack_norms(std::span<const uint64_t> a, std::span<uint64_t> r, uint32_t count, double low, double scale) {
  const uint32_t width = 32 / count;
  r[0] = 0;
  for (uint32_t i = 0; i < count; ++i) r[0] |= pack_norm(a[i], low, scale, width) << (i * width);
}

void unpack_norms(uint64_t word, std::span<uint64_t> r, uint32_t count, bool is_signed, float scale) {
  const uint32_t width = 32 / count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t field = cut(word >> (i * width), width);
    const float v = (is_signed ? static_cast<float>(sign_extend(field, width)) : static_cast<float>(field)) / scale;
    r[i] = f32_bits(v < -1.0f ? -1.0f : v);
  }
}

uint64_t dot_bytes(uint64_t x, uint64_t y, bool is_signed) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t p = cut(x >> (8 * i), 8), q = cut(y >> (8 * i), 8);
    sum += is_signed ? static_cast<uint64_t>(sign_extend(p, 8) * sign_extend(q, 8)) : p * q;
  }
  return cut(sum, 32);
}

bool eval_pack(Op op, std::span<const uint64_t> a, std::span<uint64_t> r) {
  switch (op) {
    case Op::pack_half2x16:
      r[0] = f16_bits(static_cast<double>(f32_from(a[0]))) | f16_bits(static_cast<double>(f32_from(a[1]))) << 16;
      return true;
    case Op::unpack_half2x16:
      r[0] = f32_bits(f16_from(a[0] & 0xffff));
      r[1] = f32_bits(f16_from(a[0] >> 16 & 0xffff));
      return true;
    case Op::pack_snorm4x8: pack_norms(a, r, 4, -1.0, 127.0); return true;
    case Op::pack_unorm4x8: pack_norms(a, r, 4, 0.0, 255.0); return true;
    case Op::pack_snorm2x16: pack_norms(a, r, 2, -1.0, 32767.0); return true;
    case Op::pack_unorm2x16: pack_norms(a, r, 2, 0.0, 65535.0); return true;
    case Op::unpack_snorm4x8: unpack_norms(a[0], r, 4, true, 127.0f); return true;
    case Op::unpack_unorm4x8: unpack_norms(a[0], r, 4, false, 255.0f); return true;
    case Op::unpack_snorm2x16: unpack_norms(a[0], r, 2, true, 32767.0f); return true;
    case Op::unpack_unorm2x16: unpack_norms(a[0], r, 2, false, 65535.0f); return true;
    case Op::dot4_u8: r[0] = dot_bytes(a[0], a[1], false); return true;
    case Op::dot4_i8: r[0] = dot_bytes(a[0], a[1], true); return true;
    default: return false;
  }
}

}  // namespace

bool eval_vector(Op op, ScalarKind s, uint32_t n, std::span<const uint64_t> a, std::span<uint64_t> r) {
  if (op == Op::any || op == Op::all) {
    uint64_t or_all = 0, and_all = 1;
    for (uint32_t i = 0; i < n; ++i) {
      or_all |= a[i];
      and_all &= a[i];
    }
    r[0] = op == Op::any ? or_all : and_all;
    return true;
  }
  if (is_float(s) && eval_geometry(op, Vectors{s, n, a, r})) return true;
  return eval_pack(op, a, r);
}

}  // namespace carry::eval
