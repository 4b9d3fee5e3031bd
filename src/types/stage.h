// Shader stages and built-in variables: seen by the checker, the IR and the writers.
#pragma once

#include <cstdint>

namespace carry {

enum class Stage : uint8_t {
  none,
  vertex,
  tess_control,
  tess_eval,
  geometry,
  fragment,
  compute,
  mesh,
  task,
  raygen,
  intersection,
  any_hit,
  closest_hit,
  miss,
  callable
};

/// One row each in builtin_vars.def; the type is that of the IR, front ends cast.
enum class BuiltinVar : uint8_t {
  none,
#define BUILTIN_VAR(name, type, stages, direction, spirv) name,
#include "types/builtin_vars.def"
#undef BUILTIN_VAR
  count_
};

enum class BranchHint : uint8_t { none, unroll, dont_unroll, flatten, dont_flatten };

}  // namespace carry
