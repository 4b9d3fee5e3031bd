// Generates valid compute shaders, the same program text for the same choices, in GLSL or HLSL.
//
// What it makes is defined to the last bit by the contract: every variable has a value before it is read, every index is in
// range, loops end, lanes write only what is theirs between barriers. So whoever runs it must get the same words.
// Set 0 binding 0: kSourceWords words to read; binding 1: kResultWords words of results a lane; binding 2: one struct a lane,
// at most kItemBytes long. Four lanes a workgroup. In HLSL t0, u1, u2 of space 0.
#pragma once

#include <string>

#include "gen/choices.h"

namespace carry::gen {

inline constexpr uint32_t kSourceWords = 64;
inline constexpr uint32_t kResultWords = 32;
inline constexpr uint32_t kItemBytes = 512;
inline constexpr uint32_t kGroupLanes = 4;

struct ShaderOptions {
  bool hlsl = false;
  bool floats = true;  // else integers and bool only: what every device computes alike
};

[[nodiscard]] std::string generate_shader(Choices& choices, const ShaderOptions& options);

}  // namespace carry::gen
