// Numbers to text and back, correctly rounded, without a locale (libc++ 13 has no floating from_chars/to_chars).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carry {

/// IEEE bits of the decimal or hexadecimal ("0x1.8p3") number in `text`, rounded to nearest even in one step.
/// Overflow gives infinity. Returns false when the text is not entirely a number. No sign, no suffix.
[[nodiscard]] bool parse_f64(std::string_view text, uint64_t& bits);
[[nodiscard]] bool parse_f32(std::string_view text, uint32_t& bits);
[[nodiscard]] bool parse_f16(std::string_view text, uint16_t& bits);

/// Shortest decimal text that reads back to the same bits; always has a '.', or an exponent ("1.0", "1e+30", "-0.0").
/// Only for finite values.
[[nodiscard]] std::string shortest_f64(uint64_t bits);
[[nodiscard]] std::string shortest_f32(uint32_t bits);
[[nodiscard]] std::string shortest_f16(uint16_t bits);

/// Conversions between widths on bit patterns, nearest even, NaN stays NaN.
[[nodiscard]] uint16_t f32_to_f16_bits(uint32_t bits);
[[nodiscard]] uint16_t f64_to_f16_bits(uint64_t bits);
[[nodiscard]] uint32_t f16_to_f32_bits(uint16_t bits);

}  // namespace carry
