// Interner for identifiers and other short texts: equal text has an equal NameId.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace carry {

struct NameId : Id<NameId> {
  using Id::Id;
};

/// Owned by one Compilation; not shared between threads. NameId 0 is the empty text.
class Names {
 public:
  Names();
  Names(Names&&) noexcept = default;
  Names& operator=(Names&&) noexcept = default;

  /// The id of `text`, which is copied on first sight.
  NameId intern(std::string_view text);
  /// The id if the text was interned before, else none.
  [[nodiscard]] NameId find(std::string_view text) const;
  /// Valid as long as the interner. `none` gives the empty text.
  [[nodiscard]] std::string_view text(NameId id) const;
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  void grow();
  std::vector<std::string_view> texts_;
  std::vector<uint32_t> slots_;  // open addressing; id + 1, 0 is free
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
};

}  // namespace carry
