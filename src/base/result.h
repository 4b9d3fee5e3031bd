// Result<T>: a value or a Bug. No exceptions cross a stage. What the user did wrong goes to the diagnostics;
// a Bug is a fault of Carry itself and becomes exit status 3.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace carry {

/// A fault of the compiler: which stage, which pass (may be empty), what was found.
struct Bug {
  std::string stage;
  std::string pass;
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(Bug bug) : bug_(std::move(bug)) {}      // NOLINT(google-explicit-constructor): `return Bug{...};`
  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] T& value() { return *value_; }
  [[nodiscard]] const T& value() const { return *value_; }
  [[nodiscard]] const Bug& bug() const { return bug_; }

 private:
  std::optional<T> value_;
  Bug bug_;
};

}  // namespace carry
