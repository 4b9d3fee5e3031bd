#include "check/conversions.h"

#include <gtest/gtest.h>

namespace carry::check {
namespace {

using S = ScalarKind;

LanguageMode glsl(uint16_t version, GlslProfile profile = GlslProfile::core) {
  LanguageMode m;
  m.glsl_version = version;
  m.profile = profile;
  return m;
}

TEST(Conversions, GlslVersions) {
  EXPECT_FALSE(glsl_conversion_rules(glsl(110), {}).converts(S::i32, S::f32));
  EXPECT_TRUE(glsl_conversion_rules(glsl(120), {}).converts(S::i32, S::f32));
  EXPECT_FALSE(glsl_conversion_rules(glsl(330), {}).converts(S::i32, S::u32));
  EXPECT_TRUE(glsl_conversion_rules(glsl(400), {}).converts(S::i32, S::u32));
  EXPECT_TRUE(glsl_conversion_rules(glsl(150), {.gpu_shader5 = true}).converts(S::i32, S::u32));
  EXPECT_FALSE(glsl_conversion_rules(glsl(460), {}).converts(S::u32, S::i32));
  EXPECT_FALSE(glsl_conversion_rules(glsl(320, GlslProfile::es), {}).converts(S::i32, S::f32));
  EXPECT_TRUE(glsl_conversion_rules(glsl(320, GlslProfile::es), {.es_implicit = true}).converts(S::i32, S::u32));
}

TEST(Conversions, GlslCommonKind) {
  const ConversionRules arb = glsl_conversion_rules(glsl(450), {.int64_arb = true});
  EXPECT_FALSE(arb.converts(S::u32, S::i64));
  EXPECT_EQ(arb.common(S::i64, S::u32), S::u64);
  const ConversionRules ext = glsl_conversion_rules(glsl(450), {.explicit_types = true});
  EXPECT_TRUE(ext.converts(S::u32, S::i64));
  EXPECT_EQ(ext.common(S::i64, S::u32), S::i64);
  EXPECT_EQ(ext.common(S::i16, S::u8), S::i16);
  EXPECT_EQ(ext.common(S::u16, S::u16), S::u16);
  EXPECT_EQ(ext.common(S::i64, S::u64), S::u64);
  EXPECT_EQ(glsl_conversion_rules(glsl(310, GlslProfile::es), {}).common(S::i32, S::u32), S::none);
}

TEST(Conversions, GlslRanks) {
  const ConversionRules r = glsl_conversion_rules(glsl(450), {});
  EXPECT_EQ(compare_conversions(r, S::i32, S::f32, S::f64), -1);
  EXPECT_EQ(compare_conversions(r, S::i32, S::f32, S::u32), 0);
  EXPECT_EQ(compare_conversions(r, S::i32, S::u32, S::f64), 0);
  EXPECT_EQ(compare_conversions(r, S::i32, S::i32, S::f32), -1);
}

TEST(Conversions, Hlsl) {
  LanguageMode m;
  m.language = SourceLanguage::hlsl;
  m.hlsl_version = 2021;
  const ConversionRules r = hlsl_conversion_rules(m);
  EXPECT_EQ(r.common(S::i64, S::u32), S::u64);
  EXPECT_EQ(r.common(S::u16, S::i32), S::u32);
  EXPECT_EQ(r.common(S::lit_int, S::u32), S::u32);
  EXPECT_EQ(r.common(S::f16, S::i32), S::f16);
  m.hlsl_version = 2029;
  const ConversionRules next = hlsl_conversion_rules(m);
  EXPECT_EQ(next.common(S::i64, S::u32), S::i64);
  EXPECT_EQ(next.common(S::u16, S::i32), S::i32);
}

TEST(Conversions, HlslScoresOutweigh) {
  const HlslShape one{}, three{0, 3}, two{0, 2};
  const uint64_t splat = hlsl_score(S::i32, one, S::i32, three);
  const uint64_t promotion = hlsl_score(S::i32, one, S::i64, one);
  const uint64_t sign = hlsl_score(S::i32, one, S::u32, one);
  const uint64_t other = hlsl_score(S::i32, one, S::f32, one);
  const uint64_t truncation = hlsl_score(S::i32, three, S::i32, two);
  EXPECT_LT(splat, promotion);
  EXPECT_LT(promotion, sign);
  EXPECT_LT(sign, other);
  EXPECT_LT(other, truncation);
  EXPECT_EQ(hlsl_score(S::i32, two, S::i32, three), kHlslImpossible);
}

}  // namespace
}  // namespace carry::check
