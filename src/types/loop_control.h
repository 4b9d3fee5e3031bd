// What the payload of a loop says: a BranchHint in its low byte, and at most one count (GL_EXT_control_flow_attributes).
#pragma once

#include <cstdint>
#include <string_view>

#include "types/stage.h"

namespace carry {

enum class LoopCount : uint8_t {
  none,
  dependency_infinite,  // iterations do not depend on each other; takes no number
  dependency_length,
  min_iterations,
  max_iterations,
  iteration_multiple,
  peel_count,
  partial_count,
  count_
};
inline constexpr std::string_view kLoopCountWords[] = {"none",           "dependency_infinite", "dependency_length",
                                                       "min_iterations", "max_iterations",      "iteration_multiple",
                                                       "peel_count",     "partial_count"};

struct LoopControl {
  BranchHint hint = BranchHint::none;
  LoopCount kind = LoopCount::none;
  uint16_t number = 0;

  [[nodiscard]] constexpr uint32_t pack() const {
    return static_cast<uint32_t>(hint) | static_cast<uint32_t>(kind) << 8 | static_cast<uint32_t>(number) << 16;
  }
  static constexpr LoopControl unpack(uint32_t payload) {
    return {static_cast<BranchHint>(payload & 0xff), static_cast<LoopCount>(payload >> 8 & 0xff),
            static_cast<uint16_t>(payload >> 16)};
  }
};

}  // namespace carry
