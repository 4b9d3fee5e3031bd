// Hashes for the interners. Stable within a build; never written to an output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carry {

constexpr uint64_t hash_mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xFF51AFD7ED558CCDull;
  return h ^ (h >> 32);
}

constexpr uint64_t hash_bytes(std::string_view text) {
  uint64_t h = 0xCBF29CE484222325ull;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return h ^ (h >> 29);
}

}  // namespace carry
