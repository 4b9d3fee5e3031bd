// Conversions between scalars: semantics.md 4.2 (truncate, saturate, NaN gives 0) and 5.5 (integers to floats round
// once).
#include <cmath>

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::eval {

namespace {

uint64_t to_signed_int(double v, uint32_t width) {
  if (v != v) return 0;
  const double limit = std::ldexp(1.0, static_cast<int>(width) - 1);  // 2^(width - 1), exact
  if (v >= limit) return (uint64_t{1} << (width - 1)) - 1;
  if (v < -limit) return uint64_t{1} << (width - 1);
  return cut(static_cast<uint64_t>(static_cast<int64_t>(v)), width);  // |v| <= 2^63; -2^63 itself fits
}

uint64_t to_unsigned_int(double v, uint32_t width) {
  if (!(v >= 1.0)) return 0;  // NaN too
  if (v >= std::ldexp(1.0, static_cast<int>(width))) return cut(~uint64_t{0}, width);
  return static_cast<uint64_t>(v);
}

uint64_t from_int(ScalarKind from, ScalarKind to, uint64_t bits, bool is_signed) {
  const uint32_t width = from == ScalarKind::bool_ ? 1 : scalar_bits(from);
  const int64_t value = sign_extend(bits, width);
  if (to == ScalarKind::f32) return f32_bits(is_signed ? static_cast<float>(value) : static_cast<float>(bits));
  // What does not fit into 53 bits is far past the range of f16.
  return float_bits(to, is_signed ? static_cast<double>(value) : static_cast<double>(bits));
}

}  // namespace

bool eval_conversion(Op op, ScalarKind from, ScalarKind to, uint64_t bits, uint64_t& result) {
  switch (op) {
    case Op::trunc:
    case Op::zext: result = cut(bits, scalar_bits(to)); return is_int(from) && is_int(to);
    case Op::sext:
      if (!is_int(from) || !is_int(to)) return false;
      result = cut(static_cast<uint64_t>(sign_extend(bits, scalar_bits(from))), scalar_bits(to));
      return true;
    case Op::f_to_s:
    case Op::f_to_u:
      if (!is_float(from) || !is_int(to)) return false;
      result = op == Op::f_to_s ? to_signed_int(float_value(from, bits), scalar_bits(to))
                                : to_unsigned_int(float_value(from, bits), scalar_bits(to));
      return true;
    case Op::s_to_f:
    case Op::u_to_f:
      if (!is_int(from) || !is_float(to)) return false;
      result = from_int(from, to, bits, op == Op::s_to_f);
      return true;
    case Op::f_to_f:
      if (!is_float(from) || !is_float(to)) return false;
      result = float_bits(to, float_value(from, bits));
      return true;
    case Op::bitcast: result = bits; return scalar_bits(from) == scalar_bits(to) && scalar_bits(from) != 0;
    case Op::f32_to_f16_word: result = f16_bits(static_cast<double>(f32_from(bits))); return true;
    case Op::f16_word_to_f32: result = f32_bits(f16_from(bits & 0xffff)); return true;
    default: return false;
  }
}

}  // namespace carry::eval
