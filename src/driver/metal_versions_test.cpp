// From which version of Metal on each thing is taken, on macOS and on iOS: before, an error that names this version.
#include <gtest/gtest.h>

#include "driver/compilation.h"

namespace carry {
namespace {

struct Row {
  const char* what;
  SourceLanguage language;
  Stage stage;
  const char* source;
  uint32_t macos, ios;  // 0: no version has it
};

constexpr SourceLanguage kGlsl = SourceLanguage::glsl, kHlsl = SourceLanguage::hlsl;

constexpr Row kRows[] = {
    {"plain", kGlsl, Stage::compute, R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint a; };
void main() { a = 1u; })",
     201, 201},
    {"64-bit integers", kGlsl, Stage::compute, R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint64_t a; };
void main() { a += 1ul; })",
     202, 202},
    {"vectors of 64-bit integers", kGlsl, Stage::compute, R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { i64vec2 a; };
void main() { a += i64vec2(1l); })",
     203, 203},
    {"votes", kGlsl, Stage::compute, R"(#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint a; };
void main() { a = subgroupAny(a == 1u) ? 1u : subgroupBallot(a == 2u).x; })",
     201, 202},
    {"reductions", kGlsl, Stage::compute, R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint a; };
void main() { a = subgroupAdd(a); })",
     201, 203},
    {"64-bit integers between lanes", kGlsl, Stage::compute, R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint64_t a; };
void main() { a = subgroupAdd(a); })",
     0, 0},
    {"size of a subgroup in a kernel", kGlsl, Stage::compute, R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint a; };
void main() { a = gl_SubgroupSize; })",
     201, 202},
    {"size of a subgroup in a fragment function", kGlsl, Stage::fragment, R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(location = 0) out uint a;
uint size() { return gl_SubgroupSize; }
void main() { a = size(); })",
     202, 202},
    {"lanes in a vertex function", kGlsl, Stage::vertex, R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
void main() { gl_Position = vec4(subgroupElect() ? 1.0 : 0.0); })",
     0, 0},
    {"number of a primitive", kGlsl, Stage::fragment, R"(#version 450
layout(location = 0) out int a;
void main() { a = gl_PrimitiveID; })",
     202, 203},
    {"helper", kGlsl, Stage::fragment, R"(#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) out float a;
void main() { a = helperInvocationEXT() ? 1.0 : 0.0; })",
     201, 203},
    {"query of a level", kGlsl, Stage::fragment, R"(#version 450
layout(binding = 0) uniform sampler2D t;
layout(location = 0) out vec2 a;
void main() { a = textureQueryLod(t, gl_FragCoord.xy); })",
     202, 203},
    {"lowest level", kHlsl, Stage::fragment, R"(Texture2D t; SamplerState s;
float4 main(float2 c : C) : SV_Target { return t.Sample(s, c, int2(0, 0), 1.0); })",
     202, 202},
    {"comparison at a bias", kGlsl, Stage::fragment, R"(#version 450
layout(binding = 0) uniform sampler2DShadow t;
layout(location = 0) out float a;
void main() { a = texture(t, gl_FragCoord.xyz, 1.0); })",
     203, 201},
    {"derivative after a demote", kHlsl, Stage::fragment,
     R"(float4 main(float4 c : C) : SV_Target { clip(c.x); return ddx(c); })", 203, 203},
    {"derivative before a demote", kHlsl, Stage::fragment,
     R"(float4 main(float4 c : C) : SV_Target { float4 d = ddx(c); clip(c.x); return d; })", 201, 201},
    {"derivative before a demote of the round before", kHlsl, Stage::fragment, R"(void drop(float x) { clip(x); }
float4 main(float4 c : C, nointerpolation int n : N) : SV_Target {
  float4 sum = 0;
  for (int i = 0; i < n; ++i) { sum += ddx(c * i); drop(sum.x); }
  return sum;
})",
     203, 203},
    {"image written in a vertex function", kGlsl, Stage::vertex, R"(#version 450
layout(rgba8, binding = 0) uniform writeonly image2D i;
void main() { imageStore(i, ivec2(0), vec4(1.0)); gl_Position = vec4(0.0); })",
     202, 202},
    {"array of written images", kGlsl, Stage::compute, R"(#version 450
layout(local_size_x = 1) in;
layout(rgba8, binding = 0) uniform writeonly image2D i[2];
void main() { imageStore(i[1], ivec2(0), vec4(1.0)); })",
     201, 202},
    {"array of multisampled textures", kGlsl, Stage::fragment, R"(#version 450
layout(binding = 0) uniform sampler2DMSArray t;
layout(location = 0) out vec4 a;
void main() { a = texelFetch(t, ivec3(0), 0); })",
     201, 203},
    {"atomics on texels", kGlsl, Stage::compute, R"(#version 450
layout(local_size_x = 1) in;
layout(r32ui, binding = 0) uniform uimage2D i;
void main() { imageAtomicAdd(i, ivec2(0), 1u); })",
     301, 301},
    {"fence in a fragment function", kGlsl, Stage::fragment, R"(#version 450
layout(binding = 0) buffer B { uint b[]; };
layout(location = 0) out uint a;
void wait() { memoryBarrierBuffer(); }
void main() { b[0] = 1u; wait(); a = b[1]; })",
     302, 302},
    {"fence in a kernel", kGlsl, Stage::compute, R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint b[]; };
void main() { b[0] = 1u; memoryBarrierBuffer(); b[2] = b[1]; })",
     201, 201},
};

void expect_version(const Row& row, const target::Target& target, uint32_t since) {
  driver::Request request;
  request.name = "test";
  request.text = std::make_shared<const std::string>(row.source);
  request.language = row.language;
  request.stage = row.stage;
  request.targets = {target};
  const driver::Output out = driver::compile(driver::Session{}, request);
  ASSERT_FALSE(out.bug) << row.what << ": " << out.bug->message;
  const bool has = since != 0 && target.version >= since;
  EXPECT_EQ(out.ok, has) << row.what << " for " << target.name;
}

TEST(MetalVersions, what_comes_when) {
  for (const std::string_view name : target::target_names()) {
    for (const std::string& full : {std::string(name), std::string(name) + "-ios"}) {
      target::Target target;
      std::string error;
      if (name.substr(0, 3) != "msl" || !target::find_target(full, target, error)) continue;
      for (const Row& row : kRows) expect_version(row, target, target.ios ? row.ios : row.macos);
    }
  }
}

/// Warnings of a shader that is written for `target`.
uint32_t warnings(const char* source, std::string_view name) {
  driver::Request request;
  request.name = "test";
  request.text = std::make_shared<const std::string>(source);
  request.stage = Stage::compute;
  request.targets.resize(1);
  std::string error;
  EXPECT_TRUE(target::find_target(name, request.targets[0], error));
  const driver::Output out = driver::compile(driver::Session{}, request);
  EXPECT_TRUE(out.ok);
  return static_cast<uint32_t>(out.compilation->diags.diagnostics().size());
}

TEST(MetalVersions, coherent_memory_that_is_weakened) {
  constexpr const char* kStruct = R"(#version 450
layout(local_size_x = 1) in;
struct Pair { uint a, b; };
layout(binding = 0) coherent buffer Data { Pair to, from; };
void main() { to = from; })";
  constexpr const char* kWord = R"(#version 450
layout(local_size_x = 1) in;
struct Pair { uint a, b; };
layout(binding = 0) coherent buffer Data { Pair to, from; };
void main() { to.a = from.b; })";
  constexpr const char* kImage = R"(#version 450
layout(local_size_x = 1) in;
layout(r32ui, binding = 0) uniform coherent uimage2D image;
void main() { imageStore(image, ivec2(0), imageLoad(image, ivec2(1))); })";
  EXPECT_EQ(warnings(kStruct, "msl3.1"), 1u);
  EXPECT_EQ(warnings(kStruct, "msl3.2"), 0u);
  EXPECT_EQ(warnings(kWord, "msl3.1"), 0u);
  EXPECT_EQ(warnings(kImage, "msl3.1"), 1u);
  EXPECT_EQ(warnings(kImage, "msl3.2"), 0u);
}

TEST(MetalVersions, an_addition_needs_its_version) {
  target::Target target;
  std::string error;
  EXPECT_TRUE(target::find_target("msl3.0+atomic-float", target, error));
  EXPECT_FALSE(target::find_target("msl2.4-ios+atomic-float", target, error));
  EXPECT_EQ(error, "target `msl2.4-ios` has no feature `atomic-float`: choose msl3.0-ios+atomic-float");
}

}  // namespace
}  // namespace carry
