#include "ops/eval/float_bits.h"

#include <cmath>

namespace carry::eval {

float f16_from(uint64_t bits) {
  const uint32_t exponent = static_cast<uint32_t>(bits >> 10 & 31), fraction = static_cast<uint32_t>(bits & 0x3ff);
  const uint32_t sign = static_cast<uint32_t>(bits >> 15 & 1) << 31;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint64_t f16_bits(double v) {
  if (v != v) return kNanF16;
  const uint64_t bits = std::bit_cast<uint64_t>(v);
  const uint64_t sign = bits >> 63 << 15;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent >= 16) return sign | 0x7c00;
  if (exponent < -25) return sign;
  // The significand with its hidden bit, 53 bits; keep 11 of a normal result, fewer of a denormal one.
  const uint64_t significand = (bits & 0xfffffffffffffull) | (uint64_t{1} << 52);
  const int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  const uint64_t kept = significand >> drop, rest = significand & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
  const uint64_t up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  // A carry out of the significand moves into the exponent, up to infinity, by itself.
  const uint64_t base = exponent >= -14 ? static_cast<uint64_t>(exponent + 14) << 10 : 0;
  return sign | (base + kept + up);
}

}  // namespace carry::eval
