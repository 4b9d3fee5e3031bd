#include "base/number_text.h"

#include <bit>

#include "base/big_uint.h"

namespace carry {

namespace {

struct Format {
  int precision;     // significand bits, the hidden one included
  int min_exponent;  // of the lowest bit of a subnormal: value = significand * 2^min_exponent
  int max_biased;    // exponent field of infinity
};
constexpr Format kF64{53, -1074, 2047};
constexpr Format kF32{24, -149, 255};
constexpr Format kF16{11, -24, 31};

/// Bits of significand * 2^exponent (plus less than one unit more when `sticky`), nearest even. significand != 0.
uint64_t round_to(const Format& f, uint64_t significand, int exponent, bool sticky) {
  const int lead = std::countl_zero(significand);
  significand <<= lead;
  exponent -= lead;
  // Now 64 bits; drop all but `precision` of them, or more where that would pass below the subnormal unit.
  int drop = 64 - f.precision;
  if (exponent + drop < f.min_exponent) drop = f.min_exponent - exponent;
  if (drop > 64) return 0;
  uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const uint64_t rest = drop == 64 ? significand : significand << (64 - drop);
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  if (rest > kHalf || (rest == kHalf && (sticky || (kept & 1) != 0))) ++kept;
  // A carry out of the significand lands in the exponent field, where it belongs.
  const int biased = exponent + drop - f.min_exponent;  // 0 for subnormals and the first binade
  const int shift = f.precision - 1;
  const uint64_t bits = (static_cast<uint64_t>(biased) << shift) + kept;
  const uint64_t infinity = static_cast<uint64_t>(f.max_biased) << shift;
  return bits > infinity ? infinity : bits;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr int kExponentLimit = 100000;  // past it everything is 0 or infinity; digits add less than this in any real text

/// Reads "[+-]digits" to the end of the text.
bool read_exponent(std::string_view text, int64_t& exponent) {
  bool negative = false;
  size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
  if (i == text.size()) return false;
  int64_t value = 0;
  for (; i < text.size(); ++i) {
    if (!is_digit(text[i])) return false;
    if (value < kExponentLimit * 100000ll) value = value * 10 + (text[i] - '0');
  }
  exponent += negative ? -value : value;
  return true;
}

bool parse_hex(const Format& f, std::string_view text, uint64_t& bits) {
  uint64_t significand = 0;
  int64_t exponent = 0;
  bool sticky = false;
  bool any = false;
  bool point = false;
  size_t i = 2;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    const int v = hex_value(text[i]);
    if (v < 0) break;
    any = true;
    if (significand >> 60 == 0) {
      significand = significand << 4 | static_cast<uint64_t>(v);
      if (point) exponent -= 4;
    } else {
      sticky = sticky || v != 0;
      if (!point) exponent += 4;
    }
  }
  if (!any) return false;
  if (i < text.size()) {
    if ((text[i] | 0x20) != 'p' || !read_exponent(text.substr(i + 1), exponent)) return false;
  }
  if (significand == 0) {
    bits = 0;
  } else if (exponent > kExponentLimit) {
    bits = static_cast<uint64_t>(f.max_biased) << (f.precision - 1);
  } else {
    bits = exponent < -kExponentLimit ? 0 : round_to(f, significand, static_cast<int>(exponent), sticky);
  }
  return true;
}

/// digits * 10^exponent, exactly. The quotient is cut to 64 bits, and the rest only says whether it is zero.
uint64_t decimal_to_bits(const Format& f, BigUint digits, int exponent) {
  BigUint divisor(1);
  if (exponent >= 0) {
    digits.multiply_pow10(exponent);
  } else {
    divisor.multiply_pow10(-exponent);
  }
  // Scale so that the quotient has 63 or 64 bits.
  const int scale = 63 - (digits.bit_length() - divisor.bit_length());
  if (scale >= 0) {
    digits.shift_left(scale);
  } else {
    divisor.shift_left(-scale);
  }
  uint64_t quotient = 0;
  divisor.shift_left(63);
  for (int i = 0; i < 64; ++i) {
    quotient <<= 1;
    if (digits.compare(divisor) >= 0) {
      digits.subtract(divisor);
      quotient |= 1;
    }
    if (i < 63) divisor.shift_right_one();
  }
  return round_to(f, quotient, -scale, !digits.is_zero());
}

constexpr int kMaxDigits = 800;  // more cannot change the rounding of f64 but by being there at all

struct Decimal {
  BigUint big;
  uint64_t small = 0;  // the digits while they fit
  int digits = 0;
  int64_t exponent = 0;

  void push(int digit) {
    if (digits == 0 && digit == 0) return;
    if (digits < 19) small = small * 10 + static_cast<uint64_t>(digit);
    if (digits == 19) big = BigUint(small);
    if (digits >= 19) big.multiply_add(10, static_cast<uint32_t>(digit));
    ++digits;
  }
};

bool read_decimal(std::string_view text, Decimal& d) {
  bool any = false;
  bool point = false;
  bool beyond = false;  // a non-zero digit past kMaxDigits
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (d.digits < kMaxDigits) {
      d.push(c - '0');
      if (point) --d.exponent;
    } else {
      beyond = beyond || c != '0';
      if (!point) ++d.exponent;
    }
  }
  if (!any) return false;
  if (beyond) {
    d.push(1);
    --d.exponent;
  }
  if (i == text.size()) return true;
  return (text[i] | 0x20) == 'e' && read_exponent(text.substr(i + 1), d.exponent);
}

/// Quotient by at most 10^19 in 128-bit arithmetic: nearly all literals.
bool small_decimal(const Format& f, uint64_t digits, int exponent, uint64_t& bits) {
  if (exponent < -19 || exponent > 0) return false;
  uint64_t divisor = 1;
  for (int i = 0; i < -exponent; ++i) divisor *= 10;
  const int lead = std::countl_zero(digits);
  const auto scaled = static_cast<unsigned __int128>(digits << lead) << 64;
  unsigned __int128 quotient = scaled / divisor;
  bool sticky = scaled % divisor != 0;
  int down = 0;
  for (; quotient >> 64 != 0; ++down) {
    sticky = sticky || (quotient & 1) != 0;
    quotient >>= 1;
  }
  bits = round_to(f, static_cast<uint64_t>(quotient), down - 64 - lead, sticky);
  return true;
}

bool parse(const Format& f, std::string_view text, uint64_t& bits) {
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') return parse_hex(f, text, bits);
  Decimal d;
  if (!read_decimal(text, d)) return false;
  const int64_t magnitude = d.digits + d.exponent;  // value < 10^magnitude
  if (d.digits == 0 || magnitude < -400) {
    bits = 0;
  } else if (magnitude > 400) {
    bits = static_cast<uint64_t>(f.max_biased) << (f.precision - 1);
  } else if (d.digits > 19 || !small_decimal(f, d.small, static_cast<int>(d.exponent), bits)) {
    if (d.digits <= 19) d.big = BigUint(d.small);
    bits = decimal_to_bits(f, d.big, static_cast<int>(d.exponent));
  }
  return true;
}

}  // namespace

bool parse_f64(std::string_view text, uint64_t& bits) { return parse(kF64, text, bits); }

bool parse_f32(std::string_view text, uint32_t& bits) {
  uint64_t wide = 0;
  if (!parse(kF32, text, wide)) return false;
  bits = static_cast<uint32_t>(wide);
  return true;
}

bool parse_f16(std::string_view text, uint16_t& bits) {
  uint64_t wide = 0;
  if (!parse(kF16, text, wide)) return false;
  bits = static_cast<uint16_t>(wide);
  return true;
}

namespace {

/// Narrows to `to`, sign and special values kept.
uint64_t narrow(const Format& from, const Format& to, int to_width, int from_width, uint64_t bits) {
  const uint64_t sign = bits >> (from_width - 1) << (to_width - 1);
  const int from_shift = from.precision - 1;
  const uint64_t fraction_mask = (uint64_t{1} << from_shift) - 1;
  const uint64_t fraction = bits & fraction_mask;
  const auto biased = static_cast<int>(bits >> from_shift & static_cast<uint64_t>(from.max_biased));
  const uint64_t infinity = static_cast<uint64_t>(to.max_biased) << (to.precision - 1);
  if (biased == from.max_biased) {
    if (fraction == 0) return sign | infinity;
    const uint64_t quiet = uint64_t{1} << (to.precision - 2);
    return sign | infinity | quiet | fraction >> (from.precision - to.precision);
  }
  const uint64_t significand = biased == 0 ? fraction : fraction | (uint64_t{1} << from_shift);
  if (significand == 0) return sign;
  return sign | round_to(to, significand, from.min_exponent + (biased == 0 ? 0 : biased - 1), false);
}

}  // namespace

uint16_t f32_to_f16_bits(uint32_t bits) { return static_cast<uint16_t>(narrow(kF32, kF16, 16, 32, bits)); }
uint16_t f64_to_f16_bits(uint64_t bits) { return static_cast<uint16_t>(narrow(kF64, kF16, 16, 64, bits)); }

uint32_t f16_to_f32_bits(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t biased = bits >> 10 & 31u;
  const uint32_t fraction = bits & 0x3ffu;
  if (biased == 31) return sign | 0x7f800000u | (fraction != 0 ? 0x400000u : 0u) | fraction << 13;
  if (biased == 0) {
    if (fraction == 0) return sign;
    return sign | static_cast<uint32_t>(round_to(kF32, fraction, -24, false));
  }
  return sign | (biased + 112) << 23 | fraction << 13;
}

namespace {

/// Shortest digits that round back to the value (Steele and White, Dybvig): d1 d2 ... * 10^exponent as 0.d1d2...
std::string shortest_digits(const Format& f, uint64_t bits, int& exponent) {
  const int shift = f.precision - 1;
  const uint64_t hidden = uint64_t{1} << shift;
  const auto biased = static_cast<int>(bits >> shift);
  const uint64_t significand = biased == 0 ? bits : (bits & (hidden - 1)) | hidden;
  const int e = f.min_exponent + (biased == 0 ? 0 : biased - 1);
  const bool narrow_below = significand == hidden && biased > 1;  // the gap below is half of the one above
  const bool even = (significand & 1) == 0;
  BigUint r(significand);
  BigUint s(1);
  BigUint above(1);
  BigUint below(1);
  const int extra = narrow_below ? 2 : 1;
  r.shift_left(extra + (e > 0 ? e : 0));
  s.shift_left(extra + (e < 0 ? -e : 0));
  above.shift_left((e > 0 ? e : 0) + extra - 1);
  below.shift_left(e > 0 ? e : 0);
  // 10^(exponent-1) <= value < 10^exponent: estimate, then repair by one step.
  const int top_bit = 63 - std::countl_zero(significand) + e;
  exponent = static_cast<int>((static_cast<int64_t>(top_bit) * 30103) / 100000);
  if (exponent >= 0) {
    s.multiply_pow10(exponent);
  } else {
    r.multiply_pow10(-exponent);
    above.multiply_pow10(-exponent);
    below.multiply_pow10(-exponent);
  }
  const auto reaches_s = [&] {
    BigUint sum = r;
    sum.add(above);
    const int c = sum.compare(s);
    return even ? c >= 0 : c > 0;
  };
  while (reaches_s()) {
    s.multiply_add(10, 0);
    ++exponent;
  }
  while (true) {
    BigUint ten = r;
    ten.add(above);
    ten.multiply_add(10, 0);
    const int c = ten.compare(s);
    if (even ? c >= 0 : c > 0) break;
    r.multiply_add(10, 0);
    above.multiply_add(10, 0);
    below.multiply_add(10, 0);
    --exponent;
  }
  std::string digits;
  while (true) {
    r.multiply_add(10, 0);
    above.multiply_add(10, 0);
    below.multiply_add(10, 0);
    int digit = 0;
    while (r.compare(s) >= 0) {
      r.subtract(s);
      ++digit;
    }
    const int low = r.compare(below);
    const bool stop_low = even ? low <= 0 : low < 0;
    const bool stop_high = reaches_s();
    if (!stop_low && !stop_high) {
      digits.push_back(static_cast<char>('0' + digit));
      continue;
    }
    if (stop_high) {
      BigUint twice = r;
      twice.add(r);
      const int half = twice.compare(s);
      if (!stop_low || half > 0 || (half == 0 && digit % 2 != 0)) ++digit;
    }
    digits.push_back(static_cast<char>('0' + digit));
    return digits;
  }
}

std::string shortest(const Format& f, int width, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  std::string out = (bits & sign) != 0 ? "-" : "";
  bits &= sign - 1;
  if (bits == 0) return out + "0.0";
  int exponent = 0;  // value = 0.digits * 10^exponent
  const std::string digits = shortest_digits(f, bits, exponent);
  const auto count = static_cast<int>(digits.size());
  if (exponent > 0 && exponent <= 16) {
    if (count <= exponent) return out + digits + std::string(static_cast<size_t>(exponent - count), '0') + ".0";
    return out + digits.substr(0, static_cast<size_t>(exponent)) + "." + digits.substr(static_cast<size_t>(exponent));
  }
  if (exponent <= 0 && exponent > -4) {
    return out + "0." + std::string(static_cast<size_t>(-exponent), '0') + digits;
  }
  out += digits[0];
  if (count > 1) out += "." + digits.substr(1);
  const int shown = exponent - 1;
  return out + (shown < 0 ? "e-" : "e+") + std::to_string(shown < 0 ? -shown : shown);
}

}  // namespace

std::string shortest_f64(uint64_t bits) { return shortest(kF64, 64, bits); }
std::string shortest_f32(uint32_t bits) { return shortest(kF32, 32, bits); }
std::string shortest_f16(uint16_t bits) { return shortest(kF16, 16, bits); }

}  // namespace carry
