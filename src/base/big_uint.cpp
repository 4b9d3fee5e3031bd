#include "base/big_uint.h"

#include "base/check.h"

namespace carry {

BigUint::BigUint(uint64_t v) {
  words_[0] = static_cast<uint32_t>(v);
  words_[1] = static_cast<uint32_t>(v >> 32);
  size_ = 2;
  trim();
}

void BigUint::trim() {
  while (size_ > 0 && words_[size_ - 1] == 0) --size_;
}

int BigUint::bit_length() const {
  if (size_ == 0) return 0;
  int bits = (size_ - 1) * 32;
  for (uint32_t top = words_[size_ - 1]; top != 0; top >>= 1) ++bits;
  return bits;
}

void BigUint::multiply_add(uint32_t factor, uint32_t summand) {
  uint64_t carry = summand;
  for (int i = 0; i < size_; ++i) {
    carry += uint64_t{words_[i]} * factor;
    words_[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) {
    CARRY_CHECK(size_ < kWords);
    words_[size_++] = static_cast<uint32_t>(carry);
  }
}

void BigUint::multiply_pow10(int exponent) {
  for (; exponent >= 9; exponent -= 9) multiply_add(1000000000u, 0);
  for (; exponent > 0; --exponent) multiply_add(10u, 0);
}

void BigUint::shift_left(int bits) {
  if (size_ == 0 || bits == 0) return;
  const int words = bits / 32;
  const int rest = bits % 32;
  CARRY_CHECK(size_ + words + 1 <= kWords);
  words_[size_] = 0;
  for (int i = size_; i >= 0; --i) {
    const uint64_t low = i > 0 ? words_[i - 1] : 0;
    const uint64_t both = (uint64_t{words_[i]} << 32 | low) << rest;
    words_[i + words] = static_cast<uint32_t>(both >> 32);
  }
  for (int i = 0; i < words; ++i) words_[i] = 0;
  size_ += words + 1;
  trim();
}

void BigUint::shift_right_one() {
  for (int i = 0; i < size_; ++i) {
    const uint32_t high = i + 1 < size_ ? words_[i + 1] : 0;
    words_[i] = words_[i] >> 1 | high << 31;
  }
  trim();
}

int BigUint::compare(const BigUint& other) const {
  if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
  for (int i = size_ - 1; i >= 0; --i) {
    if (words_[i] != other.words_[i]) return words_[i] < other.words_[i] ? -1 : 1;
  }
  return 0;
}

void BigUint::subtract(const BigUint& other) {
  uint64_t borrow = 0;
  for (int i = 0; i < size_; ++i) {
    const uint64_t take = borrow + (i < other.size_ ? other.words_[i] : 0u);
    borrow = words_[i] < take ? 1 : 0;
    words_[i] = static_cast<uint32_t>(words_[i] - take);
  }
  CARRY_CHECK(borrow == 0);
  trim();
}

void BigUint::add(const BigUint& other) {
  uint64_t carry = 0;
  for (int i = 0; i < size_ || i < other.size_ || carry != 0; ++i) {
    CARRY_CHECK(i < kWords);
    if (i == size_) words_[size_++] = 0;
    carry += uint64_t{words_[i]} + (i < other.size_ ? other.words_[i] : 0u);
    words_[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
}

}  // namespace carry
