#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "api/carry.hpp"

namespace {

constexpr const char* kShader =
    "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"n.h\"\n"
    "layout(std430, binding = 0) buffer Words { uint w[]; };\nvoid main() { w[0] = uint(N); }\n";

int include_n(void* user, const char* name, int angled, const char* includer, CarryIncluded* answer) {
  ++*static_cast<int*>(user);
  if (std::strcmp(name, "n.h") != 0 || angled != 0 || std::strcmp(includer, "a.comp") != 0) return 0;
  answer->path = "inc/n.h";
  answer->text = "#define N 7\n";
  answer->size = std::strlen(answer->text);
  return 1;
}

TEST(Api, CompilesToSeveralTargets) {
  carry_api::Request request;
  int calls = 0;
  ASSERT_TRUE(request.source("a.comp", kShader));
  ASSERT_TRUE(request.target("spirv") && request.target("wgsl"));
  carry_request_set_include(request.get(), include_n, &calls);
  const CarryResult* raw = nullptr;
  CarryResult* result = carry_compile(request.get());
  raw = result;
  EXPECT_EQ(carry_result_status(raw), CARRY_OK) << carry_result_messages(raw, CARRY_TEXT);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(carry_result_output_count(raw), 2u);
  size_t size = 0;
  uint32_t magic = 0;
  std::memcpy(&magic, carry_result_output(raw, 0, &size), 4);
  EXPECT_EQ(magic, 0x07230203u);
  EXPECT_EQ(size % 4, 0u);
  EXPECT_NE(std::string(static_cast<const char*>(carry_result_output(raw, 1, &size))).find("w[0] = 7u"), std::string::npos);
  ASSERT_EQ(carry_result_dependency_count(raw), 1u);
  EXPECT_STREQ(carry_result_dependency(raw, 0), "inc/n.h");
  EXPECT_NE(std::string(carry_result_reflection(raw)).find("\"Words\""), std::string::npos);
  carry_result_destroy(result);
}

TEST(Api, RefusalsCarryMessages) {
  carry_api::Request request;
  ASSERT_TRUE(request.source("b.hlsl", "[numthreads(1, 1, 1)] void main() { x = 1; }"));
  ASSERT_TRUE(request.stage("comp") && request.target("msl"));
  const carry_api::Result result = request.compile();
  EXPECT_EQ(result.status(), CARRY_REFUSED);
  EXPECT_NE(result.messages().find("b.hlsl:1:"), std::string::npos);
  EXPECT_NE(result.messages(CARRY_JSON).find("\"undeclared-name\""), std::string::npos);
  EXPECT_NE(result.messages(CARRY_SARIF).find("2.1.0"), std::string::npos);
  EXPECT_TRUE(result.output(0).empty());
  EXPECT_TRUE(result.reflection().empty());
}

TEST(Api, WrongUseIsAnAnswer) {
  carry_api::Request request;
  EXPECT_FALSE(request.target("wgls"));
  EXPECT_FALSE(request.error().empty());
  EXPECT_FALSE(request.stage("odd"));
  EXPECT_FALSE(request.language("odd"));
  EXPECT_FALSE(request.option("layout", "odd"));
  EXPECT_FALSE(request.option("odd", "1"));
  EXPECT_FALSE(request.option("debug", "2"));
  EXPECT_TRUE(request.option("optimisation", "s") && request.option("shader-model", "6.2") && request.option("strict", "0"));
  EXPECT_EQ(request.compile().status(), CARRY_WRONG_USE);
  EXPECT_EQ(carry_request_add_entry(nullptr, "x", nullptr), CARRY_WRONG_USE);
  EXPECT_EQ(carry_request_add_entry(request.get(), nullptr, nullptr), CARRY_WRONG_USE);
  EXPECT_EQ(carry_request_set_source(request.get(), nullptr, nullptr, 0), CARRY_WRONG_USE);
  EXPECT_EQ(carry_result_status(nullptr), CARRY_WRONG_USE);
  EXPECT_STREQ(carry_result_messages(nullptr, CARRY_TEXT), "");
  carry_request_destroy(nullptr);
  carry_result_destroy(nullptr);
}

TEST(Api, ThreadsShareARequest) {
  carry_api::Request request;
  ASSERT_TRUE(request.source("c.comp", "#version 450\nlayout(binding = 0) buffer B { uint a; };\nvoid main() { a += 2u; }\n"));
  ASSERT_TRUE(request.target("msl"));
  std::vector<std::string> outputs(8);
  std::vector<std::thread> threads;
  for (std::string& out : outputs) threads.emplace_back([&] { out = request.compile().output(0); });
  for (std::thread& t : threads) t.join();
  for (const std::string& out : outputs) EXPECT_EQ(out, outputs[0]);
  EXPECT_FALSE(outputs[0].empty());
}

}  // namespace
