// Ids in place of pointers: 32 bits, typed by the store they index, `none` is all ones and never indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace carry {

template <class Self>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}

  static constexpr Self none() { return Self(); }
  [[nodiscard]] constexpr bool is_none() const { return value == kNone; }
  [[nodiscard]] constexpr explicit operator bool() const { return value != kNone; }

  friend constexpr bool operator==(Self a, Self b) { return a.value == b.value; }
  friend constexpr bool operator!=(Self a, Self b) { return a.value != b.value; }
  friend constexpr bool operator<(Self a, Self b) { return a.value < b.value; }
};

/// Hash for ids in unordered containers.
struct IdHash {
  template <class T>
  size_t operator()(T id) const {
    return static_cast<size_t>(id.value) * 0x9E3779B97F4A7C15ull >> 16;
  }
};

/// A run of consecutive entries in a pool.
template <class T>
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
};

}  // namespace carry
