#include "base/names.h"

#include <cstring>

#include "base/hash.h"

namespace carry {

namespace {
constexpr size_t kBlock = 4000;
}

Names::Names() : slots_(1024, 0u) { intern(""); }

NameId Names::find(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash_bytes(text) & mask; slots_[i] != 0; i = (i + 1) & mask) {
    if (texts_[slots_[i] - 1] == text) return NameId(slots_[i] - 1);
  }
  return NameId::none();
}

NameId Names::intern(std::string_view text) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash_bytes(text) & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask) {
    if (texts_[slots_[i] - 1] == text) return NameId(slots_[i] - 1);
  }
  if (blocks_.empty() || block_used_ + text.size() > block_size_) {
    block_size_ = text.size() > kBlock ? text.size() : kBlock;
    blocks_.emplace_back(new char[block_size_]);
    block_used_ = 0;
  }
  char* copy = blocks_.back().get() + block_used_;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  block_used_ += text.size();
  texts_.emplace_back(copy, text.size());
  slots_[i] = static_cast<uint32_t>(texts_.size());
  if (texts_.size() * 2 > slots_.size()) grow();
  return NameId(texts_.size() - 1);
}

void Names::grow() {
  std::vector<uint32_t> bigger(slots_.size() * 2, 0u);
  const size_t mask = bigger.size() - 1;
  for (size_t id = 0; id < texts_.size(); ++id) {
    size_t i = hash_bytes(texts_[id]) & mask;
    while (bigger[i] != 0) i = (i + 1) & mask;
    bigger[i] = static_cast<uint32_t>(id + 1);
  }
  slots_ = std::move(bigger);
}

std::string_view Names::text(NameId id) const { return id ? texts_[id.value] : std::string_view(); }

}  // namespace carry
