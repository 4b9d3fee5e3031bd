// Floats as bit patterns: f16, f32 and f64 to double and back with one rounding (nearest, ties to even). Denormals are
// kept; NaN comes out as the one quiet NaN of its width, so that folding and executor agree whatever the host does.
#pragma once

#include <bit>
#include <cstdint>

#include "types/types.h"

namespace carry::eval {

inline constexpr uint64_t kNanF16 = 0x7e00, kNanF32 = 0x7fc00000, kNanF64 = 0x7ff8000000000000ull;

[[nodiscard]] inline float f32_from(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
[[nodiscard]] inline uint64_t f32_bits(float v) { return v == v ? std::bit_cast<uint32_t>(v) : kNanF32; }
[[nodiscard]] inline double f64_from(uint64_t bits) { return std::bit_cast<double>(bits); }
[[nodiscard]] inline uint64_t f64_bits(double v) { return v == v ? std::bit_cast<uint64_t>(v) : kNanF64; }
/// Exact.
[[nodiscard]] float f16_from(uint64_t bits);
/// One rounding from double (floats widen exactly).
[[nodiscard]] uint64_t f16_bits(double v);

[[nodiscard]] inline double float_value(ScalarKind s, uint64_t bits) {
  return s == ScalarKind::f64   ? f64_from(bits)
         : s == ScalarKind::f32 ? static_cast<double>(f32_from(bits))
                                : static_cast<double>(f16_from(bits));
}
/// One rounding from double to s.
[[nodiscard]] inline uint64_t float_bits(ScalarKind s, double v) {
  return s == ScalarKind::f64 ? f64_bits(v) : s == ScalarKind::f32 ? f32_bits(static_cast<float>(v)) : f16_bits(v);
}

/// Bits cut to `width` (1..64), and read as two's complement.
[[nodiscard]] constexpr uint64_t cut(uint64_t bits, uint32_t width) {
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}
[[nodiscard]] constexpr int64_t sign_extend(uint64_t bits, uint32_t width) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  return static_cast<int64_t>((cut(bits, width) ^ sign) - sign);
}

}  // namespace carry::eval
