#include "ops/eval/eval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ops/eval/float_bits.h"

namespace carry {
namespace {

using eval::eval_scalar;
constexpr ScalarKind kI8 = ScalarKind::i8, kI32 = ScalarKind::i32, kU32 = ScalarKind::u32, kU64 = ScalarKind::u64,
                     kI64 = ScalarKind::i64, kF16 = ScalarKind::f16, kF32 = ScalarKind::f32, kF64 = ScalarKind::f64;

uint64_t one(Op op, ScalarKind s, std::vector<uint64_t> a, uint32_t payload = 0) {
  uint64_t r = 0xdead;
  EXPECT_TRUE(eval_scalar(op, s, s, payload, a, {&r, 1})) << op_row(op).name;
  return r;
}
uint64_t convert(Op op, ScalarKind from, ScalarKind to, uint64_t bits) {
  uint64_t r = 0xdead;
  EXPECT_TRUE(eval_scalar(op, from, to, 0, {&bits, 1}, {&r, 1})) << op_row(op).name;
  return r;
}
uint64_t f32(float v) { return eval::f32_bits(v); }
float of(Op op, std::vector<float> a) {
  std::vector<uint64_t> bits;
  for (float v : a) bits.push_back(f32(v));
  return eval::f32_from(one(op, kF32, bits));
}
constexpr uint32_t kX0 = static_cast<uint32_t>(ArithmeticVariant::x0), kOnes = static_cast<uint32_t>(ArithmeticVariant::ones);
constexpr uint64_t kMin = 0x80000000;

// semantics.md 3.2
TEST(Eval, CarryBorrowMultiply) {
  struct Row {
    uint64_t x, y, sum, carry, difference, borrow, umsb, ulsb, imsb, ilsb;
  };
  const Row rows[] = {
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 1, 0, 0xFFFFFFFF, 1, 0, 0, 0, 0},
      {0xFFFFFFFF, 1, 0, 1, 0xFFFFFFFE, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
      {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE, 1, 0, 0, 0xFFFFFFFE, 1, 0, 1},
      {0x80000000, 0x80000000, 0, 1, 0, 0, 0x40000000, 0, 0x40000000, 0},
      {0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0, 0xFFFFFFFF, 1, 0x3FFFFFFF, 0x80000000, 0xC0000000, 0x80000000},
      {0x80000000, 0xFFFFFFFF, 0x7FFFFFFF, 1, 0x80000001, 1, 0x7FFFFFFF, 0x80000000, 0, 0x80000000},
      {0x12345678, 0x9ABCDEF0, 0xACF13568, 0, 0x77777788, 1, 0x0B00EA4E, 0x242D2080, 0xF8CC93D6, 0x242D2080},
      {2, 3, 5, 0, 0xFFFFFFFF, 1, 0, 6, 0, 6},
  };
  for (const Row& t : rows) {
    const uint64_t a[] = {t.x, t.y};
    uint64_t r[2];
    ASSERT_TRUE(eval_scalar(Op::uadd_carry, kU32, kU32, 0, a, r));
    EXPECT_EQ(r[0], t.sum);
    EXPECT_EQ(r[1], t.carry);
    ASSERT_TRUE(eval_scalar(Op::usub_borrow, kU32, kU32, 0, a, r));
    EXPECT_EQ(r[0], t.difference);
    EXPECT_EQ(r[1], t.borrow);
    ASSERT_TRUE(eval_scalar(Op::umul_extended, kU32, kU32, 0, a, r));
    EXPECT_EQ(r[1], t.umsb);
    EXPECT_EQ(r[0], t.ulsb);
    ASSERT_TRUE(eval_scalar(Op::smul_extended, kI32, kI32, 0, a, r));
    EXPECT_EQ(r[1], t.imsb);
    EXPECT_EQ(r[0], t.ilsb);
  }
}

// semantics.md 4.2
TEST(Eval, Wrap) {
  EXPECT_EQ(one(Op::add, kI32, {0x7fffffff, 1}), kMin);
  EXPECT_EQ(one(Op::neg, kI32, {kMin}), kMin);
  EXPECT_EQ(one(Op::abs_s, kI32, {kMin}), kMin);
  EXPECT_EQ(one(Op::abs_s, kI32, {0xffffffff}), 1u);
  EXPECT_EQ(one(Op::add, kI8, {0x7f, 1}), 0x80u);
  EXPECT_EQ(one(Op::mul, kU64, {~0ull, ~0ull}), 1u);
}

TEST(Eval, Division) {
  EXPECT_EQ(one(Op::udiv, kU32, {7, 0}, kX0), 7u);
  EXPECT_EQ(one(Op::urem, kU32, {7, 0}, kX0), 0u);
  EXPECT_EQ(one(Op::udiv, kU32, {7, 0}, kOnes), 0xffffffffu);
  EXPECT_EQ(one(Op::urem, kU32, {7, 0}, kOnes), 0xffffffffu);
  EXPECT_EQ(one(Op::sdiv, kI32, {7, 0}, kOnes), 0xffffffffu);
  EXPECT_EQ(one(Op::srem, kI8, {7, 0}, kOnes), 0xffu);
  for (uint32_t variant : {kX0, kOnes}) {
    EXPECT_EQ(one(Op::sdiv, kI32, {kMin, 0xffffffff}, variant), kMin);
    EXPECT_EQ(one(Op::srem, kI32, {kMin, 0xffffffff}, variant), 0u);
    EXPECT_EQ(one(Op::sdiv, kI64, {1ull << 63, ~0ull}, variant), 1ull << 63);
  }
  EXPECT_EQ(one(Op::sdiv, kI32, {0xfffffff9, 2}), 0xfffffffdu);  // -7 / 2 = -3
  EXPECT_EQ(one(Op::srem, kI32, {0xfffffff9, 2}), 0xffffffffu);  // -7 % 2 = -1
  EXPECT_EQ(one(Op::smod, kI32, {0xfffffff9, 2}), 1u);
  EXPECT_EQ(one(Op::smod, kI32, {7, 0xfffffffe}), 0xffffffffu);
}

TEST(Eval, Shifts) {
  EXPECT_EQ(one(Op::shl, kU32, {1, 33}), 2u);
  EXPECT_EQ(one(Op::shl, kU32, {1, 0xffffffff}), kMin);
  EXPECT_EQ(one(Op::ashr, kI32, {kMin, 31}), 0xffffffffu);
  EXPECT_EQ(one(Op::lshr, kU32, {kMin, 31}), 1u);
  EXPECT_EQ(one(Op::shl, kI8, {1, 8}), 1u);
  EXPECT_EQ(one(Op::shl, kU64, {1, 65}), 2u);
  EXPECT_EQ(one(Op::ashr, kI8, {0x80, 7}), 0xffu);
}

TEST(Eval, Bits) {
  EXPECT_EQ(one(Op::find_msb_u, kU32, {0}), 0xffffffffu);
  EXPECT_EQ(one(Op::find_msb_u, kU32, {0x10000000}), 28u);
  EXPECT_EQ(one(Op::find_msb_s, kI32, {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(one(Op::find_msb_s, kI32, {0xfffffffe}), 0u);
  EXPECT_EQ(one(Op::find_lsb, kU32, {0}), 0xffffffffu);
  EXPECT_EQ(one(Op::find_lsb, kU32, {kMin}), 31u);
  EXPECT_EQ(one(Op::find_lsb, kU64, {0}), ~0ull);
  EXPECT_EQ(one(Op::bit_count, kU32, {0xf0f0}), 8u);
  EXPECT_EQ(one(Op::reverse_bits, kU32, {1}), kMin);
  EXPECT_EQ(one(Op::reverse_bits, kI8, {1}), 0x80u);
  EXPECT_EQ(one(Op::extract_bits_u, kU32, {0x12345678, 0, 32}), 0x12345678u);
  EXPECT_EQ(one(Op::extract_bits_u, kU32, {0x12345678, 28, 100}), 1u);
  EXPECT_EQ(one(Op::extract_bits_u, kU32, {0x12345678, 32, 4}), 0u);
  EXPECT_EQ(one(Op::extract_bits_u, kU32, {0x12345678, 0xffffffff, 4}), 0u);
  EXPECT_EQ(one(Op::extract_bits_u, kU32, {0x12345678, 4, 0}), 0u);
  EXPECT_EQ(one(Op::extract_bits_s, kI32, {0xf0, 4, 4}), 0xffffffffu);
  EXPECT_EQ(one(Op::insert_bits, kU32, {0, 0xffffffff, 28, 100}), 0xf0000000u);
  EXPECT_EQ(one(Op::insert_bits, kU32, {5, 0xffffffff, 0, 0}), 5u);
  EXPECT_EQ(one(Op::insert_bits, kU32, {5, 0xffffffff, 0, 32}), 0xffffffffu);
  EXPECT_EQ(one(Op::sclamp, kI32, {5, 10, 1}), 1u);  // low above high: min(max(x, low), high)
}

TEST(Eval, FloatToInt) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI32, f32(3e9f)), 0x7fffffffu);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI32, f32(-3e9f)), kMin);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI32, f32(nan)), 0u);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI32, f32(-1.9f)), 0xffffffffu);
  EXPECT_EQ(convert(Op::f_to_u, kF32, kU32, f32(-1.0f)), 0u);
  EXPECT_EQ(convert(Op::f_to_u, kF32, kU32, f32(inf)), 0xffffffffu);
  EXPECT_EQ(convert(Op::f_to_u, kF32, kU32, f32(4294967040.0f)), 4294967040u);
  EXPECT_EQ(convert(Op::f_to_u, kF32, ScalarKind::u16, f32(70000.0f)), 0xffffu);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI8, f32(-200.0f)), 0x80u);
  // 5.5
  EXPECT_EQ(convert(Op::f_to_u, kF32, kU64, f32(inf)), ~0ull);
  EXPECT_EQ(convert(Op::f_to_u, kF32, kU64, f32(0.99f)), 0u);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI64, f32(inf)), ~0ull >> 1);
  EXPECT_EQ(convert(Op::f_to_s, kF32, kI64, f32(-0x1p63f)), 1ull << 63);
}

TEST(Eval, IntToFloatRoundsOnce) {
  EXPECT_EQ(convert(Op::u_to_f, kU64, kF32, (1ull << 63) + (1ull << 39) + 1), 0x5F000001u);
  EXPECT_EQ(convert(Op::s_to_f, kI32, kF32, 16777217), f32(16777216.0f));
  EXPECT_EQ(convert(Op::u_to_f, kU32, kF32, 0xffffffff), f32(4294967296.0f));
  EXPECT_EQ(convert(Op::s_to_f, kI64, kF32, ~0ull), f32(-1.0f));
  EXPECT_EQ(convert(Op::u_to_f, kU32, kF16, 65519), 0x7bffu);
  EXPECT_EQ(convert(Op::u_to_f, kU32, kF16, 65520), 0x7c00u);
}

TEST(Eval, Half) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float v = eval::f16_from(bits);
    if (v == v) {
      EXPECT_EQ(eval::f16_bits(static_cast<double>(v)), bits);
    }
  }
  EXPECT_EQ(eval::f16_bits(0x1p-25), 0u);  // a tie: to even
  EXPECT_EQ(eval::f16_bits(0x1.8p-25), 1u);
  EXPECT_EQ(eval::f16_bits(65519.99), 0x7bffu);
  EXPECT_EQ(eval::f16_bits(65520.0), 0x7c00u);
  EXPECT_EQ(eval::f16_bits(-0x1.ff8p-15), 0x83ffu);  // the largest denormal
  EXPECT_EQ(eval::f16_bits(-0x1.fffp-15), 0x8400u);  // up into the normal numbers
  // 1 + 2^-11 + 2^-40 is above the tie; rounding the sum to double first and then to half must not lose that.
  EXPECT_EQ(one(Op::fma, kF16, {0x3c00, 0x3c00, 0x1000}), 0x3c00u);
  EXPECT_EQ(one(Op::fma, kF16, {0x0001, 0x0001, 0x3c01}), 0x3c01u);
  EXPECT_EQ(one(Op::fadd, kF16, {0x3c00, 0x1000}), 0x3c00u);  // 1 + 2^-11: tie to even
  EXPECT_EQ(one(Op::fadd, kF16, {0x3c01, 0x1000}), 0x3c02u);
}

TEST(Eval, FloatRules) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(of(Op::fmin, {nan, 1.0f}), 1.0f);
  EXPECT_EQ(of(Op::fmax, {1.0f, nan}), 1.0f);
  EXPECT_TRUE(std::signbit(of(Op::fmin, {0.0f, -0.0f})));
  EXPECT_FALSE(std::signbit(of(Op::fmax, {-0.0f, 0.0f})));
  EXPECT_EQ(of(Op::round_even, {2.5f}), 2.0f);
  EXPECT_EQ(of(Op::round, {2.5f}), 3.0f);
  EXPECT_EQ(of(Op::round_even, {-0.5f}), -0.0f);
  EXPECT_EQ(of(Op::fsign, {-3.0f}), -1.0f);
  EXPECT_EQ(of(Op::fsign, {nan}), 0.0f);
  EXPECT_EQ(of(Op::frem, {-7.0f, 2.0f}), -1.0f);
  EXPECT_EQ(of(Op::fdiv, {1.0f, 0.0f}), inf);
  EXPECT_EQ(one(Op::fdiv, kF32, {0, 0}), eval::kNanF32);
  EXPECT_EQ(one(Op::fneg, kF32, {0x7fc00001}), 0xffc00001u);
  EXPECT_EQ(of(Op::fdiv, {1.0f, 3.0f}), 1.0f / 3.0f);
  EXPECT_EQ(of(Op::sqrt, {2.0f}), std::sqrt(2.0f));
  EXPECT_EQ(of(Op::step, {2.0f, 1.0f}), 0.0f);
  EXPECT_EQ(of(Op::step, {2.0f, 2.0f}), 1.0f);
  EXPECT_TRUE(std::isnan(of(Op::pow, {-1.0f, 2.0f})));
  EXPECT_EQ(one(Op::fne, kF32, {eval::kNanF32, eval::kNanF32}), 1u);
  EXPECT_EQ(one(Op::feq, kF32, {0x80000000, 0}), 1u);
  EXPECT_EQ(one(Op::ldexp, kF32, {f32(1.0f), 0xffffff6b}), 1u);  // 2^-149
  EXPECT_EQ(one(Op::ldexp, kF32, {f32(1.0f), 0x7fffffff}), f32(inf));
}

// Doing f32 arithmetic in double and rounding must be the float operation.
TEST(Eval, SingleRounding) {
  uint32_t seed = 1;
  const auto next = [&] { return seed = seed * 1664525u + 1013904223u; };
  for (int i = 0; i < 20000; ++i) {
    const uint32_t a = next(), b = next();
    const float x = eval::f32_from(a), y = eval::f32_from(b);
    EXPECT_EQ(one(Op::fadd, kF32, {a, b}), f32(x + y));
    EXPECT_EQ(one(Op::fmul, kF32, {a, b}), f32(x * y));
    EXPECT_EQ(one(Op::fdiv, kF32, {a, b}), f32(x / y));
    EXPECT_EQ(one(Op::sqrt, kF32, {a}), f32(std::sqrt(x)));
  }
}

TEST(Eval, TwoResults) {
  uint64_t a = f32(-6.5f), r[2];
  ASSERT_TRUE(eval_scalar(Op::frexp, kF32, kF32, 0, {&a, 1}, r));
  EXPECT_EQ(r[0], f32(-0.8125f));
  EXPECT_EQ(r[1], 3u);
  ASSERT_TRUE(eval_scalar(Op::modf, kF32, kF32, 0, {&a, 1}, r));
  EXPECT_EQ(r[0], f32(-0.5f));
  EXPECT_EQ(r[1], f32(-6.0f));
  a = 1;  // the smallest denormal
  ASSERT_TRUE(eval_scalar(Op::frexp, kF32, kF32, 0, {&a, 1}, r));
  EXPECT_EQ(r[0], f32(0.5f));
  EXPECT_EQ(static_cast<int32_t>(r[1]), -148);
}

TEST(Eval, Pack) {
  const auto pack = [](Op op, std::vector<float> v) {
    std::vector<uint64_t> bits;
    for (float x : v) bits.push_back(f32(x));
    uint64_t r = 0;
    EXPECT_TRUE(eval::eval_vector(op, kF32, static_cast<uint32_t>(v.size()), bits, {&r, 1}));
    return r;
  };
  EXPECT_EQ(pack(Op::pack_half2x16, {1.0f, -2.0f}), 0xc0003c00u);
  EXPECT_EQ(pack(Op::pack_unorm4x8, {0.0f, 1.0f, 2.0f, -1.0f}), 0x00ffff00u);
  EXPECT_EQ(pack(Op::pack_snorm2x16, {-1.0f, 1.0f}), 0x7fff8001u);
  uint64_t word = 0x80817f01, r[4];
  ASSERT_TRUE(eval::eval_vector(Op::unpack_snorm4x8, kU32, 1, {&word, 1}, r));
  EXPECT_EQ(r[3], f32(-1.0f));
  EXPECT_EQ(r[2], f32(-1.0f));
  EXPECT_EQ(r[1], f32(1.0f));
  const uint64_t bytes[] = {0xff02ff02, 0x03ff0102};
  ASSERT_TRUE(eval::eval_vector(Op::dot4_i8, kU32, 1, bytes, {r, 1}));
  EXPECT_EQ(static_cast<int32_t>(r[0]), 2 * 2 - 1 - 2 - 3);
}

TEST(Eval, RefusesWhatItDoesNotKnow) {
  uint64_t a[2] = {1, 2}, r = 0;
  EXPECT_FALSE(eval_scalar(Op::load, kU32, kU32, 0, {a, 1}, {&r, 1}));
  EXPECT_FALSE(eval_scalar(Op::add, kF32, kF32, 0, a, {&r, 1}));
  EXPECT_FALSE(eval_scalar(Op::fadd, kU32, kU32, 0, a, {&r, 1}));
  EXPECT_FALSE(eval_scalar(Op::add, kU32, kU32, 0, {a, 1}, {&r, 1}));
  EXPECT_FALSE(eval_scalar(Op::shl, ScalarKind::bool_, ScalarKind::bool_, 0, a, {&r, 1}));
  EXPECT_EQ(one(Op::fadd, kF64, {eval::f64_bits(0.1), eval::f64_bits(0.2)}), eval::f64_bits(0.1 + 0.2));
}

}  // namespace
}  // namespace carry
