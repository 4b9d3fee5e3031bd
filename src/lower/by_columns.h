// A matrix (or the array of vectors that stands for one) made column by column.
#pragma once

#include "lower/function_lowering.h"

namespace carry::lower {

template <class F>
ValueId FunctionLowering::by_columns(TypeId result, uint32_t columns, F&& f) {
  std::vector<ValueId> parts;
  parts.reserve(columns);
  for (uint32_t i = 0; i < columns; ++i) parts.push_back(f(i));
  if (!types_.is_matrix(result)) return build(ir(result), parts);
  const TypeId type = ir(result);
  if (types_.kind(type) != TypeKind::array || parts.size() != 1) return build(type, parts);
  return b_.make(type, parts);
}

}  // namespace carry::lower
