// Numbers in options and values.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace carry::cli {

/// The whole text in decimal digits, within T's range.
template <class T>
[[nodiscard]] bool whole_number(std::string_view text, T& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size();
}

}  // namespace carry::cli
