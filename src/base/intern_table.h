// Finds equal records in a Store without a second copy of the keys: open addressing over ids.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"

namespace carry {

template <class IdT>
class InternTable {
 public:
  /// `equal(id)` tells whether the stored record is the one looked for; `make()` stores it and returns its id;
  /// `rehash(id)` gives the hash of a stored record, for growth.
  template <class Equal, class Make, class Rehash>
  IdT find_or_make(uint64_t hash, Equal equal, Make make, Rehash rehash) {
    if (slots_.empty()) slots_.assign(256, 0u);
    size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
      if (equal(IdT(slots_[i] - 1))) return IdT(slots_[i] - 1);
    }
    const IdT id = make();
    slots_[i] = id.value + 1;
    if (++used_ * 2 > slots_.size()) grow(rehash);
    return id;
  }

 private:
  template <class Rehash>
  void grow(Rehash rehash) {
    std::vector<uint32_t> bigger(slots_.size() * 2, 0u);
    const size_t mask = bigger.size() - 1;
    for (uint32_t slot : slots_) {
      if (slot == 0) continue;
      size_t i = rehash(IdT(slot - 1)) & mask;
      while (bigger[i] != 0) i = (i + 1) & mask;
      bigger[i] = slot;
    }
    slots_ = std::move(bigger);
  }
  std::vector<uint32_t> slots_;
  size_t used_ = 0;
};

}  // namespace carry
