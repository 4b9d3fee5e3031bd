// Floats. + - * / and sqrt round once: f32 and f64 in the host's own type, f16 in f32 (24 bits are enough for one
// correct rounding to 11) and then to f16. Functions with a stated error go through double.
#include <cmath>
#include <limits>

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::eval {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// A value that rounds the way s does after each step.
struct Steps {
  ScalarKind s;
  [[nodiscard]] double round(double v) const { return float_value(s, float_bits(s, v)); }
  // In double, one operation on f16 or f32 operands and then one rounding to these is correct (53 >= 2 * 24 + 2).
  [[nodiscard]] double add(double x, double y) const { return round(x + y); }
  [[nodiscard]] double sub(double x, double y) const { return round(x - y); }
  [[nodiscard]] double mul(double x, double y) const { return round(x * y); }
  [[nodiscard]] double div(double x, double y) const { return round(x / y); }
};

bool is_negative(double v) { return std::signbit(v); }

/// The operand that is no NaN; -0 is below +0.
double min_of(double x, double y) {
  if (x != x) return y;
  if (y != y) return x;
  return x == y ? (is_negative(x) ? x : y) : (x < y ? x : y);
}
double max_of(double x, double y) {
  if (x != x) return y;
  if (y != y) return x;
  return x == y ? (is_negative(x) ? y : x) : (x < y ? y : x);
}

/// x * y + z with one rounding to s.
double fused(ScalarKind s, double x, double y, double z) {
  if (s == ScalarKind::f64) return std::fma(x, y, z);
  if (s == ScalarKind::f32) return std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  // f16: the product is exact in double; the sum is rounded to odd, so that the rounding to f16 afterwards is the only
  // one.
  const double p = x * y, sum = p + z;
  if (!std::isfinite(sum)) return sum;
  const double zz = sum - p, error = (p - (sum - zz)) + (z - zz);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool away = (error > 0) == (sum > 0);
  bits = away ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

double smooth_step(Steps f, double low, double high, double x) {
  const double t = min_of(max_of(f.div(f.sub(x, low), f.sub(high, low)), 0.0), 1.0);
  return f.mul(f.mul(t, t), f.sub(3.0, f.mul(2.0, t)));
}

double power(double x, double y) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : std::pow(x, y); }

double scaled(double x, uint64_t exponent_bits) {
  const int64_t e = sign_extend(exponent_bits, 32);
  return std::ldexp(x, static_cast<int>(e < -5000 ? -5000 : e > 5000 ? 5000 : e));
}

bool compare(Op op, double x, double y, uint64_t& r) {
  switch (op) {
    case Op::feq: r = x == y; return true;
    case Op::fne: r = !(x == y); return true;
    case Op::flt: r = x < y; return true;
    case Op::fle: r = x <= y; return true;
    case Op::is_nan: r = x != x; return true;
    case Op::is_inf: r = std::isinf(x); return true;
    default: return false;
  }
}

bool arithmetic(Op op, Steps f, std::span<const uint64_t> a, double x, double y, double z, double& r) {
  switch (op) {
    case Op::fadd: r = x + y; return true;
    case Op::fsub: r = x - y; return true;
    case Op::fmul: r = x * y; return true;
    case Op::fdiv: r = x / y; return true;
    case Op::frem: r = std::fmod(x, y); return true;
    case Op::fmin: r = min_of(x, y); return true;
    case Op::fmax: r = max_of(x, y); return true;
    case Op::fclamp: r = min_of(max_of(x, y), z); return true;
    case Op::fma: r = fused(f.s, x, y, z); return true;
    case Op::sqrt: r = std::sqrt(x); return true;
    case Op::fsign: r = sign_of(x); return true;
    case Op::floor: r = std::floor(x); return true;
    case Op::ceil: r = std::ceil(x); return true;
    case Op::trunc_f: r = std::trunc(x); return true;
    case Op::round: r = std::round(x); return true;
    case Op::round_even: r = std::nearbyint(x); return true;
    case Op::fract: r = x - std::floor(x); return true;
    case Op::ldexp: r = scaled(x, a[1]); return true;
    case Op::step: r = y < x ? 0.0 : 1.0; return true;
    case Op::fmix: r = f.add(f.mul(x, f.sub(1.0, z)), f.mul(y, z)); return true;
    case Op::smoothstep: r = smooth_step(f, x, y, z); return true;
    case Op::radians: r = f.mul(x, f.round(kPi / 180)); return true;
    case Op::degrees: r = f.mul(x, f.round(180 / kPi)); return true;
    default: return false;
  }
}

bool transcendental(Op op, double x, double y, double& r) {
  switch (op) {
    case Op::inverse_sqrt: r = 1.0 / std::sqrt(x); return true;
    case Op::sin: r = std::sin(x); return true;
    case Op::cos: r = std::cos(x); return true;
    case Op::tan: r = std::tan(x); return true;
    case Op::asin: r = std::asin(x); return true;
    case Op::acos: r = std::acos(x); return true;
    case Op::atan: r = std::atan(x); return true;
    case Op::atan2: r = std::atan2(x, y); return true;
    case Op::sinh: r = std::sinh(x); return true;
    case Op::cosh: r = std::cosh(x); return true;
    case Op::tanh: r = std::tanh(x); return true;
    case Op::asinh: r = std::asinh(x); return true;
    case Op::acosh: r = std::acosh(x); return true;
    case Op::atanh: r = std::atanh(x); return true;
    case Op::exp: r = std::exp(x); return true;
    case Op::exp2: r = std::exp2(x); return true;
    case Op::log: r = std::log(x); return true;
    case Op::log2: r = std::log2(x); return true;
    case Op::pow: r = power(x, y); return true;
    default: return false;
  }
}

bool two_results(Op op, ScalarKind s, double x, std::span<uint64_t> r) {
  if (op == Op::modf) {
    double whole = 0;
    const double fraction = std::modf(x, &whole);
    r[0] = float_bits(s, fraction);
    r[1] = float_bits(s, whole);
    return true;
  }
  if (op != Op::frexp) return false;
  int exponent = 0;
  const double fraction = std::isfinite(x) ? std::frexp(x, &exponent) : x;
  r[0] = float_bits(s, fraction);
  r[1] = static_cast<uint32_t>(exponent);
  return true;
}

}  // namespace

bool eval_float(Op op, ScalarKind s, std::span<const uint64_t> a, std::span<uint64_t> r) {
  const uint64_t sign = uint64_t{1} << (scalar_bits(s) - 1);
  if (op == Op::fneg || op == Op::fabs) {  // on the bits: NaN keeps its payload
    r[0] = op == Op::fneg ? a[0] ^ sign : a[0] & ~sign;
    return true;
  }
  const double x = float_value(s, a[0]);
  const double y = a.size() > 1 && op != Op::ldexp ? float_value(s, a[1]) : 0, z = a.size() > 2 ? float_value(s, a[2]) : 0;
  if (r.size() == 2) return two_results(op, s, x, r);
  double v = 0;
  if (compare(op, x, y, r[0])) return true;
  if (!arithmetic(op, Steps{s}, a, x, y, z, v) && !transcendental(op, x, y, v)) return false;
  r[0] = float_bits(s, v);
  return true;
}

}  // namespace carry::eval
