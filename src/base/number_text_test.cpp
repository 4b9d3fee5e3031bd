#include "base/number_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace carry {
namespace {

uint64_t f64_of(const std::string& text) {
  uint64_t bits = 1;
  EXPECT_TRUE(parse_f64(text, bits)) << text;
  return bits;
}
uint32_t f32_of(const std::string& text) {
  uint32_t bits = 1;
  EXPECT_TRUE(parse_f32(text, bits)) << text;
  return bits;
}
template <class To, class From>
To bits_of(From v) {
  To out{};
  std::memcpy(&out, &v, sizeof out);
  return out;
}

TEST(NumberText, AgreesWithTheLibraryOnRandomText) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = std::to_string(random() % 1000000000000ull);
    if (random() % 2) text += "." + std::to_string(random());
    if (random() % 2) text += std::to_string(random()) + std::to_string(random());
    text += "e" + std::to_string(static_cast<int>(random() % 700) - 350);
    ASSERT_EQ(f64_of(text), bits_of<uint64_t>(std::strtod(text.c_str(), nullptr))) << text;
    ASSERT_EQ(f32_of(text), bits_of<uint32_t>(std::strtof(text.c_str(), nullptr))) << text;
    const std::string plain = std::to_string(random() % 100000) + "." + std::to_string(random() % 100000);
    ASSERT_EQ(f32_of(plain), bits_of<uint32_t>(std::strtof(plain.c_str(), nullptr))) << plain;
    ASSERT_EQ(f64_of(plain), bits_of<uint64_t>(std::strtod(plain.c_str(), nullptr))) << plain;
  }
}

TEST(NumberText, OneRounding) {
  // Halfway for f32 but for a digit that f64 cannot hold.
  EXPECT_EQ(f32_of("1.00000005960464477539062500000000000000001"), 0x3f800001u);
  EXPECT_EQ(f32_of("1.000000059604644775390625"), 0x3f800000u);
  EXPECT_EQ(f64_of("2.4703282292062327208e-324"), 0u);
  EXPECT_EQ(f64_of("2.4703282292062327209e-324"), 1u);
  EXPECT_EQ(f64_of("4.9e-324"), 1u);
  EXPECT_EQ(f64_of("1.7976931348623159e308"), 0x7ff0000000000000u);
  EXPECT_EQ(f64_of("0x1.8p3"), bits_of<uint64_t>(12.0));
  EXPECT_EQ(f64_of("0x1p-1074"), 1u);
  EXPECT_EQ(f64_of("1e999999999999999999999"), 0x7ff0000000000000u);
  EXPECT_EQ(f64_of("0e999999999999999999999"), 0u);
  EXPECT_EQ(f64_of("1e-999999999999999999999"), 0u);
  EXPECT_EQ(f64_of("0." + std::string(1000, '0') + "1e1001"), bits_of<uint64_t>(1.0));
  EXPECT_EQ(f64_of("1" + std::string(1000, '0') + "e-1000"), bits_of<uint64_t>(1.0));
  EXPECT_EQ(f64_of(std::string(2000, '9')), 0x7ff0000000000000u);
  EXPECT_EQ(f64_of(std::string(2000, '9') + "e-2000"), bits_of<uint64_t>(1.0));
  uint16_t half = 0;
  EXPECT_TRUE(parse_f16("65519.99", half));
  EXPECT_EQ(half, 0x7bffu);
  EXPECT_TRUE(parse_f16("65520", half));
  EXPECT_EQ(half, 0x7c00u);
}

TEST(NumberText, Refuses) {
  uint64_t bits = 0;
  for (const char* text : {"", ".", "e1", "1e", "1e+", "1.2.3", "1f", "-1", "0x", "0xp1", "1 "}) {
    EXPECT_FALSE(parse_f64(text, bits)) << text;
  }
}

TEST(NumberText, Shortest) {
  EXPECT_EQ(shortest_f32(bits_of<uint32_t>(1.0f)), "1.0");
  EXPECT_EQ(shortest_f32(bits_of<uint32_t>(0.1f)), "0.1");
  EXPECT_EQ(shortest_f32(bits_of<uint32_t>(-0.0f)), "-0.0");
  EXPECT_EQ(shortest_f32(bits_of<uint32_t>(16777216.0f)), "16777216.0");
  EXPECT_EQ(shortest_f32(bits_of<uint32_t>(1e30f)), "1e+30");
  EXPECT_EQ(shortest_f32(1), "1e-45");
  EXPECT_EQ(shortest_f64(bits_of<uint64_t>(5e-324)), "5e-324");
  EXPECT_EQ(shortest_f64(bits_of<uint64_t>(1.7976931348623157e308)), "1.7976931348623157e+308");
  EXPECT_EQ(shortest_f64(bits_of<uint64_t>(1e23)), "1e+23");
  EXPECT_EQ(shortest_f64(bits_of<uint64_t>(9007199254740993.0)), "9007199254740992.0");
  EXPECT_EQ(shortest_f16(0x3555), "0.3333");
  std::mt19937_64 random(9);
  for (int i = 0; i < 5000; ++i) {
    const auto a = static_cast<uint32_t>(random()) & 0x7f7fffffu;
    ASSERT_EQ(f32_of(shortest_f32(a)), a);
    const uint64_t b = random() & 0x7fefffffffffffffu;
    const std::string text = shortest_f64(b);
    ASSERT_EQ(f64_of(text), b) << text;
    char buffer[40];
    double value = 0;
    std::memcpy(&value, &b, sizeof value);
    std::snprintf(buffer, sizeof buffer, "%.15e", value);  // 16 digits
    if (std::strtod(buffer, nullptr) == value) {
      ASSERT_LE(text.size(), std::strlen(buffer));
    }
  }
}

TEST(NumberText, Halves) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const uint32_t wide = f16_to_f32_bits(static_cast<uint16_t>(h));
    const bool nan = (h & 0x7fffu) > 0x7c00u;
    if (nan) {
      ASSERT_GT(wide & 0x7fffffffu, 0x7f800000u);
      continue;
    }
    ASSERT_EQ(f32_to_f16_bits(wide), h);
    if ((h & 0x7fffu) != 0x7c00u && h < 0x8000u) {
      uint16_t back = 0;
      ASSERT_TRUE(parse_f16(shortest_f16(static_cast<uint16_t>(h)), back));
      ASSERT_EQ(back, h);
    }
  }
  EXPECT_EQ(f32_to_f16_bits(0x477fefffu), 0x7bffu);
  EXPECT_EQ(f32_to_f16_bits(0x477ff000u), 0x7c00u);
  EXPECT_EQ(f32_to_f16_bits(0x33000000u), 0u);
  EXPECT_EQ(f32_to_f16_bits(0x33000001u), 1u);
  EXPECT_EQ(f64_to_f16_bits(bits_of<uint64_t>(1.0 + 0x1p-11 + 0x1p-40)), 0x3c01u);
  EXPECT_GT(f64_to_f16_bits(0x7ff8000000000000u), 0x7c00u);
}

}  // namespace
}  // namespace carry
