// Store<IdT, T>: an append-only table indexed by its own id type. Chunked, so that a reference survives growth.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/id.h"

namespace carry {

template <class IdT, class T>
class Store {
 public:
  Store() = default;
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept = default;
  Store(const Store& other) { *this = other; }
  Store& operator=(const Store& other) {
    if (this == &other) return *this;
    clear();
    for (uint32_t i = 0; i < other.size_; ++i) add(other[IdT(i)]);
    return *this;
  }

  IdT add(T value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    chunks_[size_ / kChunk]->items[size_ % kChunk] = std::move(value);
    return IdT(size_++);
  }

  [[nodiscard]] T& operator[](IdT id) {
    CARRY_CHECK(id.value < size_);
    return chunks_[id.value / kChunk]->items[id.value % kChunk];
  }
  [[nodiscard]] const T& operator[](IdT id) const {
    CARRY_CHECK(id.value < size_);
    return chunks_[id.value / kChunk]->items[id.value % kChunk];
  }

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool contains(IdT id) const { return id.value < size_; }
  [[nodiscard]] IdT next_id() const { return IdT(size_); }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }

  /// Range-for over ids: `for (FunctionId f : module.functions.ids())`.
  struct IdIterator {
    uint32_t i;
    IdT operator*() const { return IdT(i); }
    IdIterator& operator++() {
      ++i;
      return *this;
    }
    bool operator!=(IdIterator o) const { return i != o.i; }
  };
  struct IdRange {
    uint32_t count;
    [[nodiscard]] IdIterator begin() const { return {0}; }
    [[nodiscard]] IdIterator end() const { return {count}; }
  };
  [[nodiscard]] IdRange ids() const { return {size_}; }

 private:
  static constexpr uint32_t kChunk = 64;
  struct Chunk {
    T items[kChunk];
  };
  std::vector<std::unique_ptr<Chunk>> chunks_;
  uint32_t size_ = 0;
};

}  // namespace carry
