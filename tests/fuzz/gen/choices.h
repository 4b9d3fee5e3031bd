// Where a generator's decisions come from: the bytes of an input one by one (so that a fuzzer can steer), then a random
// sequence that these bytes seed. Same bytes, same decisions, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carry::gen {

class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {
    for (size_t i = 0; i < size; ++i) state_ = (state_ ^ data[i]) * 0x100000001b3u;
  }
  /// 0 to n - 1; n at least 1.
  uint32_t below(uint32_t n) {
    if (at_ < size_ && n <= 256) return data_[at_++] % n;
    return static_cast<uint32_t>(next() % n);
  }
  bool chance(uint32_t in_100) { return below(100) < in_100; }
  uint32_t word() { return static_cast<uint32_t>(next() >> 16); }

 private:
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  const uint8_t* data_;
  size_t size_ = 0, at_ = 0;
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace carry::gen
