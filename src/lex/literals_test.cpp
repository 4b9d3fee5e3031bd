#include "lex/literals.h"

#include <gtest/gtest.h>

namespace carry {
namespace {

TEST(IntLiteral, Values) {
  EXPECT_EQ(read_int_literal("0").value, 0u);
  EXPECT_EQ(read_int_literal("017u").value, 15u);
  EXPECT_EQ(read_int_literal("017u").base, LiteralBase::octal);
  EXPECT_EQ(read_int_literal("0XFFu").value, 255u);
  EXPECT_EQ(read_int_literal("0b101u").value, 5u);
  EXPECT_EQ(read_int_literal("0b101u").base, LiteralBase::binary);
  EXPECT_EQ(read_int_literal("18446744073709551615").value, ~uint64_t{0});
  EXPECT_FALSE(read_int_literal("18446744073709551615").overflow);
  EXPECT_TRUE(read_int_literal("18446744073709551616").overflow);
  EXPECT_TRUE(read_int_literal("0x1FFFFFFFFFFFFFFFF").overflow);
  EXPECT_FALSE(read_int_literal("0xFFFFFFFFFFFFFFFF").overflow);
}

TEST(IntLiteral, Faults) {
  EXPECT_TRUE(read_int_literal("089").bad_octal_digit);
  EXPECT_TRUE(read_int_literal("0x").no_digits);
  EXPECT_TRUE(read_int_literal("0xg").no_digits);
  EXPECT_TRUE(read_int_literal("0b").no_digits);
  for (const char* bad : {"1a", "1uu", "1lL", "1lul", "1sl", "1llu8", "0b2", "1e"}) {
    EXPECT_TRUE(read_int_literal(bad).bad_suffix) << bad;
  }
  for (const char* good : {"1u", "1UL", "1uL", "1Ul", "1ll", "1ULL", "1us", "1S", "1lu", "1l"}) {
    EXPECT_FALSE(read_int_literal(good).malformed()) << good;
  }
  EXPECT_FALSE(read_int_literal("1lu").unsigned_first);
  EXPECT_TRUE(read_int_literal("1ul").unsigned_first);
  EXPECT_TRUE(read_int_literal("1LL").suffix_ll);
  EXPECT_FALSE(read_int_literal("1LL").suffix_l);
}

TEST(CharLiteral, Values) {
  EXPECT_EQ(read_char_literal("'a'").value, 97);
  EXPECT_EQ(read_char_literal("'\\t'").value, 9);
  EXPECT_EQ(read_char_literal("'\\12'").value, 10);
  EXPECT_EQ(read_char_literal("'\\xff'").value, -1);
  for (std::string_view bad :
       {"''", "'ab'", "'\\'", "'\\x'", "'\\x100'", "'\\400'", "'\\1234'", "'\\8'", "'\\nn'", "'\xc3\xa9'"})
    EXPECT_NE(read_char_literal(bad).fault, nullptr) << bad;
}

TEST(FloatLiteral, Forms) {
  EXPECT_EQ(read_float_literal("1e5f").digits, "1e5");
  EXPECT_EQ(read_float_literal("1e5f").kind, FloatSuffix::f);
  EXPECT_EQ(read_float_literal("1.0lf").kind, FloatSuffix::lf);
  EXPECT_TRUE(read_float_literal("1.0lF").suffix_mixed_case);
  EXPECT_FALSE(read_float_literal("1.0LF").suffix_mixed_case);
  EXPECT_EQ(read_float_literal("1.5hf").kind, FloatSuffix::hf);
  EXPECT_EQ(read_float_literal("1.h").kind, FloatSuffix::h);
  EXPECT_EQ(read_float_literal(".5").digits, ".5");
  EXPECT_FALSE(read_float_literal("1f").has_point_or_exponent);
  EXPECT_TRUE(read_float_literal("1e+3").has_point_or_exponent);
  EXPECT_EQ(read_float_literal("0x1.8p3f").digits, "0x1.8p3");
  EXPECT_TRUE(read_float_literal("1.#INF").infinity);
  EXPECT_FALSE(read_float_literal("1.#INFf").malformed);
  for (const char* bad : {"1.0x", "1e", "1.0ff", "1.0fl", "0x1.8"}) {
    EXPECT_TRUE(read_float_literal(bad).malformed || read_float_literal(bad).hexadecimal) << bad;
  }
}

}  // namespace
}  // namespace carry
