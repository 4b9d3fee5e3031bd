// Features: the shapes found in a module (architecture 4).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "ir/module.h"

namespace carry::ir {

enum class Feature : uint8_t {
#define FEATURE(name, meaning) name,
#include "ir/features.def"
#undef FEATURE
  count_
};
inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::count_);
inline constexpr size_t kOpCount = static_cast<size_t>(Op::count_);

/// At most 128 features.
class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> list) {
    for (Feature f : list) add(f);
  }
  constexpr void add(Feature f) { words_[word(f)] |= bit(f); }
  constexpr void remove(Feature f) { words_[word(f)] &= ~bit(f); }
  [[nodiscard]] constexpr bool has(Feature f) const { return (words_[word(f)] & bit(f)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return words_[0] == 0 && words_[1] == 0; }
  friend constexpr FeatureSet operator|(FeatureSet a, FeatureSet b) {
    return FeatureSet(a.words_[0] | b.words_[0], a.words_[1] | b.words_[1]);
  }
  friend constexpr FeatureSet operator&(FeatureSet a, FeatureSet b) {
    return FeatureSet(a.words_[0] & b.words_[0], a.words_[1] & b.words_[1]);
  }
  /// Those of `a` that are not in `b`.
  friend constexpr FeatureSet operator-(FeatureSet a, FeatureSet b) {
    return FeatureSet(a.words_[0] & ~b.words_[0], a.words_[1] & ~b.words_[1]);
  }
  friend constexpr bool operator==(FeatureSet a, FeatureSet b) {
    return a.words_[0] == b.words_[0] && a.words_[1] == b.words_[1];
  }

 private:
  constexpr FeatureSet(uint64_t low, uint64_t high) : words_{low, high} {}
  static constexpr size_t word(Feature f) { return static_cast<size_t>(f) / 64; }
  static constexpr uint64_t bit(Feature f) { return uint64_t{1} << static_cast<unsigned>(f) % 64; }
  uint64_t words_[2] = {0, 0};
};
static_assert(kFeatureCount <= 128);

struct Scan {
  FeatureSet features;                   // `expandable_op` is the target's to say: see target/target.h
  std::array<uint16_t, kOpCount> ops{};  // operations used: bits of the ScalarKind of their first operand
  LocId where[kFeatureCount];            // an instruction that has it, for messages; none for types of globals
};

/// One walk over what is live: types, globals, functions.
/// A float -0, infinity or NaN is in the constant: text targets need not keep it in a constant expression.
[[nodiscard]] bool has_odd_float(const TypeTable& types, ConstId id);
[[nodiscard]] Scan scan_features(const Module& module);
[[nodiscard]] std::string_view feature_name(Feature f);
/// Sizes, numbers and masks of subgroups: what an entry that reads them needs subgroups for.
[[nodiscard]] bool is_subgroup_builtin(BuiltinVar v);
[[nodiscard]] std::string_view feature_meaning(Feature f);
[[nodiscard]] Feature find_feature(std::string_view name);  // count_ when there is none

}  // namespace carry::ir
