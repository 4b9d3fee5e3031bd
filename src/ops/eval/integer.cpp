// Integers of 8 to 64 bits and bool. Everything is done on uint64_t, where wrapping is defined, and cut to the width.
#include <bit>

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::eval {

namespace {

/// bool counts as one bit wide.
uint32_t width_of(ScalarKind s) { return s == ScalarKind::bool_ ? 1 : scalar_bits(s); }

struct DivMod {
  uint64_t quotient, remainder;
};

/// semantics.md 4.2: (x, 0) or all ones for a zero divisor; MIN / -1 wraps to (MIN, 0).
DivMod divide(uint64_t x, uint64_t y, uint32_t width, bool is_signed, uint32_t variant) {
  const uint64_t ones = cut(~uint64_t{0}, width);
  if (y == 0) {
    if (static_cast<ArithmeticVariant>(variant) == ArithmeticVariant::ones) return {ones, ones};
    return {x, 0};
  }
  if (!is_signed) return {x / y, x % y};
  if (y == ones) return {cut(0 - x, width), 0};
  const int64_t a = sign_extend(x, width), b = sign_extend(y, width);
  return {cut(static_cast<uint64_t>(a / b), width), cut(static_cast<uint64_t>(a % b), width)};
}

/// Floored remainder: sign of the divisor.
uint64_t floored_mod(uint64_t x, uint64_t y, uint32_t width, uint32_t variant) {
  const uint64_t r = divide(x, y, width, true, variant).remainder;
  const bool differ = y != 0 && r != 0 && (sign_extend(r, width) < 0) != (sign_extend(y, width) < 0);
  return differ ? cut(r + y, width) : r;
}

uint64_t find_msb(uint64_t x, uint32_t width) {
  return x == 0 ? cut(~uint64_t{0}, width) : 63u - static_cast<uint32_t>(std::countl_zero(x));
}

uint64_t reverse(uint64_t x, uint32_t width) {
  uint64_t r = 0;
  for (uint32_t i = 0; i < width; ++i) r |= (x >> i & 1) << (width - 1 - i);
  return r;
}

struct BitField {
  uint32_t offset, count;
};
/// Clamped into the width, read as unsigned (4.2).
BitField bit_field(uint64_t offset, uint64_t count, uint32_t width) {
  const uint32_t o = static_cast<uint32_t>(offset) < width ? static_cast<uint32_t>(offset) : width;
  const uint32_t c = static_cast<uint32_t>(count) < width - o ? static_cast<uint32_t>(count) : width - o;
  return {o, c};
}
uint64_t low_ones(uint32_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
uint64_t shift_down(uint64_t x, uint32_t count) { return count >= 64 ? 0 : x >> count; }
uint64_t shift_up(uint64_t x, uint32_t count) { return count >= 64 ? 0 : x << count; }

uint64_t extract(uint64_t x, BitField f, uint32_t width, bool is_signed) {
  if (f.count == 0) return 0;
  const uint64_t field = shift_down(x, f.offset) & low_ones(f.count);
  return is_signed ? cut(static_cast<uint64_t>(sign_extend(field, f.count)), width) : field;
}

uint64_t insert(uint64_t base, uint64_t part, BitField f) {
  const uint64_t mask = shift_up(low_ones(f.count), f.offset);
  return (base & ~mask) | (shift_up(part, f.offset) & mask);
}

/// High words of x * y for widths up to 64.
uint64_t high_unsigned(uint64_t x, uint64_t y, uint32_t width) {
  if (width < 64) return cut(x * y >> width, width);  // width <= 32: the product fits
  const uint64_t xl = x & 0xffffffff, xh = x >> 32, yl = y & 0xffffffff, yh = y >> 32;
  const uint64_t t = xh * yl + (xl * yl >> 32);
  const uint64_t m = xl * yh + (t & 0xffffffff);
  return xh * yh + (t >> 32) + (m >> 32);
}
uint64_t high_signed(uint64_t x, uint64_t y, uint32_t width) {
  uint64_t high = high_unsigned(x, y, width);
  if (sign_extend(x, width) < 0) high -= y;
  if (sign_extend(y, width) < 0) high -= x;
  return cut(high, width);
}

bool two_results(Op op, uint32_t width, std::span<const uint64_t> a, std::span<uint64_t> r) {
  if (r.size() != 2) return false;
  const uint64_t x = a[0], y = a[1];
  switch (op) {
    case Op::uadd_carry:
      r[0] = cut(x + y, width);
      r[1] = r[0] < x ? 1 : 0;
      return true;
    case Op::usub_borrow:
      r[0] = cut(x - y, width);
      r[1] = x < y ? 1 : 0;
      return true;
    case Op::umul_extended:
    case Op::smul_extended:
      r[0] = cut(x * y, width);
      r[1] = op == Op::umul_extended ? high_unsigned(x, y, width) : high_signed(x, y, width);
      return true;
    default: return false;
  }
}

bool compare_and_select(Op op, uint32_t w, std::span<const uint64_t> a, uint64_t& r) {
  const uint64_t x = a[0], y = a.size() > 1 ? a[1] : 0, z = a.size() > 2 ? a[2] : 0;
  const int64_t sx = sign_extend(x, w), sy = sign_extend(y, w), sz = sign_extend(z, w);
  switch (op) {
    case Op::eq: r = x == y; return true;
    case Op::ne: r = x != y; return true;
    case Op::slt: r = sx < sy; return true;
    case Op::sle: r = sx <= sy; return true;
    case Op::ult: r = x < y; return true;
    case Op::ule: r = x <= y; return true;
    case Op::smin: r = sx < sy ? x : y; return true;
    case Op::smax: r = sx < sy ? y : x; return true;
    case Op::umin: r = x < y ? x : y; return true;
    case Op::umax: r = x < y ? y : x; return true;
    case Op::sclamp: {
      const uint64_t low = sx < sy ? y : x;
      r = sign_extend(low, w) < sz ? low : z;
      return true;
    }
    case Op::uclamp: {
      const uint64_t low = x < y ? y : x;
      r = low < z ? low : z;
      return true;
    }
    default: return false;
  }
}

bool bits(Op op, uint32_t w, std::span<const uint64_t> a, uint64_t& r) {
  const uint64_t x = a[0];
  const uint32_t count = a.size() > 1 ? static_cast<uint32_t>(a[1]) & (w - 1) : 0;
  switch (op) {
    case Op::shl: r = cut(x << count, w); return true;
    case Op::lshr: r = x >> count; return true;
    case Op::ashr: r = cut(static_cast<uint64_t>(sign_extend(x, w) >> count), w); return true;
    case Op::bit_count: r = static_cast<uint64_t>(std::popcount(x)); return true;
    case Op::reverse_bits: r = reverse(x, w); return true;
    case Op::find_msb_u: r = find_msb(x, w); return true;
    case Op::find_msb_s: r = find_msb(sign_extend(x, w) < 0 ? cut(~x, w) : x, w); return true;
    case Op::find_lsb: r = x == 0 ? cut(~uint64_t{0}, w) : static_cast<uint64_t>(std::countr_zero(x)); return true;
    case Op::extract_bits_s:
    case Op::extract_bits_u: r = extract(x, bit_field(a[1], a[2], w), w, op == Op::extract_bits_s); return true;
    case Op::insert_bits: r = insert(x, a[1], bit_field(a[2], a[3], w)); return true;
    default: return false;
  }
}

}  // namespace

bool eval_integer(Op op, ScalarKind s, uint32_t payload, std::span<const uint64_t> a, std::span<uint64_t> r) {
  const uint32_t w = width_of(s);
  if (w == 0 || is_float(s)) return false;
  if (r.size() != 1) return two_results(op, w, a, r);
  const uint64_t x = a[0], y = a.size() > 1 ? a[1] : 0;
  switch (op) {
    case Op::add: r[0] = cut(x + y, w); return true;
    case Op::sub: r[0] = cut(x - y, w); return true;
    case Op::mul: r[0] = cut(x * y, w); return true;
    case Op::neg: r[0] = cut(0 - x, w); return true;
    case Op::abs_s: r[0] = sign_extend(x, w) < 0 ? cut(0 - x, w) : x; return true;
    case Op::sign_s: r[0] = sign_extend(x, w) < 0 ? cut(~uint64_t{0}, w) : x != 0; return true;
    case Op::sdiv: r[0] = divide(x, y, w, true, payload).quotient; return true;
    case Op::udiv: r[0] = divide(x, y, w, false, payload).quotient; return true;
    case Op::srem: r[0] = divide(x, y, w, true, payload).remainder; return true;
    case Op::urem: r[0] = divide(x, y, w, false, payload).remainder; return true;
    case Op::smod: r[0] = floored_mod(x, y, w, payload); return true;
    case Op::and_: r[0] = x & y; return true;
    case Op::or_: r[0] = x | y; return true;
    case Op::xor_: r[0] = x ^ y; return true;
    case Op::not_: r[0] = cut(~x, w); return true;
    default: return compare_and_select(op, w, a, r[0]) || (s != ScalarKind::bool_ && bits(op, w, a, r[0]));
  }
}

}  // namespace carry::eval
