// Arrays of vectors whose components lie apart: rows of a matrix of ints or bools that lies by columns. Targets know such strides
// of matrices only.
#pragma once

#include <vector>

#include "types/layout.h"

namespace carry {

/// The layout is such an array.
[[nodiscard]] inline bool lies_across(const LayoutTable& layouts, LayoutId id) {
  const Layout& l = layouts[id];
  return l.kind == Layout::Kind::array && l.element && layouts[l.element].kind == Layout::Kind::vector &&
         layouts[l.element].stride != 0;
}

/// By LayoutId, all that the table has now: is one or holds one. Parts stand before wholes in the table.
[[nodiscard]] inline std::vector<bool> find_crossed(const LayoutTable& layouts) {
  std::vector<bool> crossed(layouts.size(), false);
  for (uint32_t i = 0; i < layouts.size(); ++i) {
    const LayoutId id(i);
    const Layout& l = layouts[id];
    bool any = lies_across(layouts, id) || (l.kind == Layout::Kind::array && l.element && crossed[l.element.value]);
    for (uint32_t k = 0; k < l.members.count; ++k) any = any || crossed[layouts.member_layout(id, k).value];
    crossed[i] = any;
  }
  return crossed;
}

}  // namespace carry
