// A big unsigned integer of fixed capacity, for exact conversion between decimal and binary numbers.
#pragma once

#include <cstdint>

namespace carry {

/// Little-endian 32-bit words. The widest value that number_text needs has 800 decimal digits against 10^1200.
class BigUint {
 public:
  static constexpr int kWords = 140;

  explicit BigUint(uint64_t v = 0);
  [[nodiscard]] bool is_zero() const { return size_ == 0; }
  [[nodiscard]] int bit_length() const;
  void multiply_add(uint32_t factor, uint32_t summand);
  void multiply_pow10(int exponent);
  void shift_left(int bits);
  void shift_right_one();
  /// -1, 0, 1
  [[nodiscard]] int compare(const BigUint& other) const;
  /// Needs *this >= other.
  void subtract(const BigUint& other);
  void add(const BigUint& other);

 private:
  void trim();
  int size_ = 0;
  uint32_t words_[kWords];
};

}  // namespace carry
