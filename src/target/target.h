// Targets as data (architecture 4): what each lacks and rejects, and the names of `--target`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diag.h"
#include "ir/features.h"
#include "ops/expand.h"

namespace carry::target {

enum class Family : uint8_t { spirv, msl, wgsl };

/// Features that a name may add: `wgsl+subgroups+f16`, `vulkan1.2+atomic-float`.
enum Extra : uint32_t {
  kExtraSubgroups = 1,
  kExtraF16 = 2,
  kExtraAtomicFloat = 4,
  kExtraInt64 = 8,
  kExtraAtomicVec2uMinMax = 16,
  kExtraAtomicInt64 = 32,
};

struct Reject {
  ir::Feature feature;
  DiagConstant<1> diag;  // its argument is the target's name
  std::string since;     // the first target that has it; empty: none has
};

struct Target {
  std::string name;  // as asked for: "wgsl+f16", "msl2.4-ios"
  Family family = Family::spirv;
  uint32_t version = 0x00010500;
  uint32_t vulkan = 102;
  bool ios = false;
  uint32_t extras = 0;
  ir::FeatureSet lacks;
  std::vector<Reject> rejects;
  builtins::ExpandTarget expand_target = builtins::ExpandTarget::spirv;

  [[nodiscard]] bool has(Extra e) const { return (extras & e) != 0; }
};

/// By a name of `--target`; false with a message that lists what is close. "spirv" is vulkan1.2, "msl" is msl2.4.
[[nodiscard]] bool find_target(std::string_view name, Target& out, std::string& error);
/// Names without additions, in the order of the table.
[[nodiscard]] std::vector<std::string_view> target_names();
/// Names of the features that a target's name may add.
[[nodiscard]] std::vector<std::string_view> extra_names(Family family);
/// File ending: ".spv", ".metal", ".wgsl".
[[nodiscard]] std::string_view file_ending(Family family);

}  // namespace carry::target
