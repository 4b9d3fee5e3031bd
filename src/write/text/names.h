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

/// One scope of names. Inner scopes (functions) see the module's, so nothing is ever shadowed.
class NameScope {
 public:
  explicit NameScope(const NameRules& rules) : rules_(&rules) {}

  /// A legal name close to `wanted` ("v" if that is empty), unlike all others taken so far: `x`, `x_1`, `x_2` ...
  std::string take(std::string_view wanted);
  /// A scope inside this one, which must stay where it is.
  [[nodiscard]] NameScope inner() const;

 private:
  bool try_take(const std::string& name);
  [[nodiscard]] uint32_t first_number(const std::string& base) const;

  const NameRules* rules_;
  const NameScope* outer_ = nullptr;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint32_t> next_;  // all lower numbers after this name are taken
};

/// `wanted` with everything replaced that identifiers of the C family cannot hold; reserved words get a trailing '_'.
[[nodiscard]] std::string legal_name(std::string_view wanted, const NameRules& rules);

}  // namespace carry::write::text
