// gen_shader SEED glsl|hlsl [int]: prints a generated shader; `test` in front: as an execution test for the runner.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gen/shader.h"

int main(int argc, char** argv) {
  using namespace carry::gen;
  const bool as_test = argc > 1 && std::strcmp(argv[1], "test") == 0;
  if (as_test) ++argv, --argc;
  if (argc < 3) {
    std::fputs("gen_shader [test] SEED glsl|hlsl [int]\n", stderr);
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  ShaderOptions options;
  options.hlsl = std::strcmp(argv[2], "hlsl") == 0;
  options.floats = argc < 4;
  uint8_t bytes[8];
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(seed * 0x9e3779b97f4a7c15u >> (8 * i));
  Choices choices(bytes, sizeof bytes);
  const std::string source = generate_shader(choices, options);
  if (as_test) {
    std::printf("# Generated: gen_shader %s\ngroups: 2,1,1\nset 0:0 = u32:", argv[1]);
    for (uint32_t i = 0; i < kSourceWords; ++i)
      std::printf("%s%u", i != 0 ? "," : "", i % 3 == 0 ? i * 0x9e3779b9u : choices.word());
    std::printf("\nset 0:1 = zeros:%u\nset 0:2 = zeros:%u\n", 2 * kGroupLanes * kResultWords, 2 * kGroupLanes * kItemBytes / 4);
    std::printf("expect 0:1 = same\nexpect 0:2 = same\n--- source %s comp\n", options.hlsl ? "hlsl" : "glsl");
  }
  std::fputs(source.c_str(), stdout);
  return 0;
}
