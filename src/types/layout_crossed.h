// Layouts that SPIR-V has for other types only. Arrays of vectors whose components lie apart (rows of a matrix of ints or bools
// that lies by columns): strides of matrices. Matrices behind whose last column something lies in the bytes up to the next
// multiple of the stride: an array of the columns ends with the last one.
#pragma once

#include <algorithm>
#include <vector>

#include "types/layout.h"

namespace carry {

/// The layout is such an array.
[[nodiscard]] inline bool lies_across(const LayoutTable& layouts, LayoutId id) {
  const Layout& l = layouts[id];
  return l.kind == Layout::Kind::array && l.element && layouts[l.element].kind == Layout::Kind::vector &&
         layouts[l.element].stride != 0;
}

/// Marks the matrix that ends `id`, if it has no room for whole strides. `room`: bytes from its start to what comes next.
inline void mark_tight(const LayoutTable& layouts, LayoutId id, uint32_t room, std::vector<bool>& tight) {
  while (id) {
    const Layout& l = layouts[id];
    const uint32_t lines = l.stride == 0 ? 0 : (l.size + l.stride - 1) / l.stride;
    if (l.kind == Layout::Kind::matrix) {
      if (!l.row_major && lines * l.stride > room) tight[id.value] = true;
      return;
    }
    if (l.kind == Layout::Kind::array && l.stride != 0) {
      const uint32_t before = lines == 0 ? 0 : (lines - 1) * l.stride;
      room = std::min(l.stride, room > before ? room - before : 0);
      id = l.element;
      continue;
    }
    if (l.kind != Layout::Kind::struct_ || l.members.count == 0) return;
    uint32_t last = 0;
    for (uint32_t k = 1; k < l.members.count; ++k) {
      if (layouts.member_offset(id, k) >= layouts.member_offset(id, last)) last = k;
    }
    room = room > layouts.member_offset(id, last) ? room - layouts.member_offset(id, last) : 0;
    id = layouts.member_layout(id, last);
  }
}

/// By LayoutId: matrices that are to be arrays of their columns.
[[nodiscard]] inline std::vector<bool> find_tight(const LayoutTable& layouts) {
  std::vector<bool> tight(layouts.size(), false);
  for (uint32_t i = 0; i < layouts.size(); ++i) {
    const LayoutId id(i);
    const Layout& l = layouts[id];
    if (l.kind == Layout::Kind::array && l.element && l.stride != 0) mark_tight(layouts, l.element, l.stride, tight);
    if (l.kind != Layout::Kind::struct_) continue;
    std::vector<uint32_t> offsets;
    for (uint32_t k = 0; k < l.members.count; ++k) offsets.push_back(layouts.member_offset(id, k));
    std::sort(offsets.begin(), offsets.end());
    for (uint32_t k = 0; k < l.members.count; ++k) {
      const uint32_t at = layouts.member_offset(id, k);
      const auto next = std::upper_bound(offsets.begin(), offsets.end(), at);
      if (next != offsets.end()) mark_tight(layouts, layouts.member_layout(id, k), *next - at, tight);
    }
  }
  return tight;
}

/// By LayoutId, all that the table has now: is one or holds one. Parts stand before wholes in the table.
[[nodiscard]] inline std::vector<bool> find_crossed(const LayoutTable& layouts) {
  std::vector<bool> crossed = find_tight(layouts);
  for (uint32_t i = 0; i < layouts.size(); ++i) {
    const LayoutId id(i);
    const Layout& l = layouts[id];
    bool any =
        crossed[i] || lies_across(layouts, id) || (l.kind == Layout::Kind::array && l.element && crossed[l.element.value]);
    for (uint32_t k = 0; k < l.members.count; ++k) any = any || crossed[layouts.member_layout(id, k).value];
    crossed[i] = any;
  }
  return crossed;
}

}  // namespace carry
