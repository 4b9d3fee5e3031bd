// Store<IdT, T>: an append-only table indexed by its own id type. Chunked, so that a reference survives growth; each is
// twice as large as the one before it, so that a short table costs little.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/id.h"

namespace carry {

template <class IdT, class T>
class Store {
 public:
  Store() = default;
  Store(Store&& other) noexcept : chunks_(std::move(other.chunks_)), size_(other.size_) { other.forget(); }
  Store& operator=(Store&& other) noexcept {
    if (this == &other) return *this;
    clear();
    chunks_ = std::move(other.chunks_);
    size_ = other.size_;
    other.forget();
    return *this;
  }
  Store(const Store& other) { copy(other); }
  Store& operator=(const Store& other) {
    if (this == &other) return *this;
    clear();
    copy(other);
    return *this;
  }
  ~Store() { clear(); }

  IdT add(T value) {
    const uint32_t chunk = chunk_of(size_);
    if (chunk == chunks_.size()) chunks_.push_back(std::allocator<T>().allocate(capacity(chunk)));
    std::construct_at(chunks_[chunk] + place_of(size_, chunk), std::move(value));
    return IdT(size_++);
  }

  [[nodiscard]] T& operator[](IdT id) {
    CARRY_CHECK(id.value < size_);
    const uint32_t chunk = chunk_of(id.value);
    return chunks_[chunk][place_of(id.value, chunk)];
  }
  [[nodiscard]] const T& operator[](IdT id) const {
    CARRY_CHECK(id.value < size_);
    const uint32_t chunk = chunk_of(id.value);
    return chunks_[chunk][place_of(id.value, chunk)];
  }

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool contains(IdT id) const { return id.value < size_; }
  [[nodiscard]] IdT next_id() const { return IdT(size_); }
  void clear() {
    for (uint32_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(chunks_[chunk], used(chunk));
      std::allocator<T>().deallocate(chunks_[chunk], capacity(chunk));
    }
    forget();
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
  // Chunk n holds kFirst << n items; the items before it are kFirst less.
  static constexpr uint32_t kFirst = 8;
  static constexpr uint32_t kFirstWidth = 4;
  static uint32_t chunk_of(uint32_t i) { return static_cast<uint32_t>(std::bit_width(i + kFirst)) - kFirstWidth; }
  static uint32_t capacity(uint32_t chunk) { return kFirst << chunk; }
  static uint32_t start(uint32_t chunk) { return capacity(chunk) - kFirst; }
  static uint32_t place_of(uint32_t i, uint32_t chunk) { return i - start(chunk); }
  [[nodiscard]] uint32_t used(uint32_t chunk) const {
    return size_ - start(chunk) < capacity(chunk) ? size_ - start(chunk) : capacity(chunk);
  }
  void forget() {
    chunks_.clear();
    size_ = 0;
  }
  void copy(const Store& other) {
    chunks_.reserve(other.chunks_.size());
    for (uint32_t chunk = 0; chunk < other.chunks_.size(); ++chunk) {
      chunks_.push_back(std::allocator<T>().allocate(capacity(chunk)));
      std::uninitialized_copy_n(other.chunks_[chunk], other.used(chunk), chunks_[chunk]);
    }
    size_ = other.size_;
  }

  std::vector<T*> chunks_;
  uint32_t size_ = 0;
};

}  // namespace carry
