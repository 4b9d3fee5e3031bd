// Names in a text target: unique, legal, and as close to the source's as the target's words allow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace carry::write::text {

/// What a language does not accept as a name. `words` is sorted.
struct NameRules {
  std::span<const std::string_view> words;
  bool double_underscore = false;  // a name may hold "__"
};

/// One scope of names. Inner scopes (functions) start as a copy of the module's set, so nothing is ever shadowed.
class NameScope {
 public:
  explicit NameScope(const NameRules& rules) : rules_(&rules) {}

  /// A legal name close to `wanted` ("v" if that is empty), unlike all others taken so far: `x`, `x_1`, `x_2` ...
  std::string take(std::string_view wanted);

 private:
  const NameRules* rules_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint32_t> next_;  // the number to try for this base: those below are taken
};

/// `wanted` with everything replaced that identifiers of the C family cannot hold; reserved words get a trailing '_'.
[[nodiscard]] std::string legal_name(std::string_view wanted, const NameRules& rules);

}  // namespace carry::write::text
