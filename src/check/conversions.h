// Implicit conversions of the source languages as tables: which scalar kinds convert, the common kind of two operands, and the
// order of conversions that overload resolution uses (semantics.md 2).
#pragma once

#include <array>
#include <cstdint>

#include "syntax/language_mode.h"
#include "types/types.h"

namespace carry::check {

inline constexpr size_t kScalarKinds = 15;

/// How calls choose among overloads (semantics.md 2.3, 2.4).
enum class OverloadRule : uint8_t {
  exact_only,        // GLSL 1.10, ESSL
  exact_or_unique,   // GLSL 1.20 - 3.30
  ranked,            // GLSL 4.00+, gpu_shader5, fp64
  ranked_int64,      // ranked, "to the wider type of the same kind" in place of float -> double
  ranked_promotion,  // explicit arithmetic types: exact > promotion > conversion
  ranked_exact,      // ESSL with EXT_shader_implicit_conversions
  hlsl_sum,          // DXC: smallest sum of scores
  hlsl_ranks,        // HLSL 202x
};

/// What the language version and its extensions decide.
struct ConversionRules {
  bool hlsl = false;
  bool hlsl_202x = false;
  bool int_to_uint = false;     // GLSL: exists at all
  bool explicit_types = false;  // EXT_shader_explicit_arithmetic_types
  OverloadRule overloads = OverloadRule::exact_only;
  std::array<uint32_t, kScalarKinds> reach{};  // bit k: converts to ScalarKind(k), itself not included

  [[nodiscard]] bool converts(ScalarKind from, ScalarKind to) const {
    return from == to ||
           (from != ScalarKind::none && (reach[static_cast<size_t>(from)] >> static_cast<unsigned>(to) & 1u) != 0);
  }
  /// Kind in which `a op b` is done, `none` when the operands do not meet.
  [[nodiscard]] ScalarKind common(ScalarKind a, ScalarKind b) const;
};

/// Extension facts that the tables need.
struct ConversionExtensions {
  bool gpu_shader5 = false;
  bool fp64 = false;
  bool int64_arb = false;
  bool explicit_types = false;  // any of the explicit arithmetic types extensions
  bool es_implicit = false;     // EXT_shader_implicit_conversions
};
[[nodiscard]] ConversionRules glsl_conversion_rules(const LanguageMode& mode, const ConversionExtensions& extensions);
[[nodiscard]] ConversionRules hlsl_conversion_rules(const LanguageMode& mode);

/// -1: converting `from` to `a` is better than to `b`, 1: worse, 0: neither. All three are scalar kinds that `from` reaches.
[[nodiscard]] int compare_conversions(const ConversionRules& rules, ScalarKind from, ScalarKind a, ScalarKind b);

/// HLSL: cost of one argument; shapes: component counts of scalars and vectors, matrices as columns << 4 | rows.
struct HlslShape {
  uint8_t columns = 0;  // 0: not a matrix
  uint8_t rows = 1;
};
inline constexpr uint64_t kHlslImpossible = ~0ull;
[[nodiscard]] uint64_t hlsl_score(ScalarKind from, HlslShape from_shape, ScalarKind to, HlslShape to_shape);
/// 202x: rank 0 (exact) to 8 (conversion with truncation).
[[nodiscard]] uint32_t hlsl_rank(ScalarKind from, HlslShape from_shape, ScalarKind to, HlslShape to_shape);

}  // namespace carry::check
