// Types and byte layouts as Shapes. Private to src/reflect.
#pragma once

#include <map>
#include <utility>

#include "reflect/reflection.h"

namespace carry::reflect {

class Shapes {
 public:
  Shapes(const ir::Module& module, Reflection& out, bool matrices_by_rows)
      : m_(module), out_(out), by_rows_(matrices_by_rows) {}
  /// `layout` none: a value that is not in memory.
  Shape shape(TypeId type, LayoutId layout);

 private:
  Shape matrix(const Type& type, LayoutId layout) const;
  Shape crossed_matrix(const Type& rows, LayoutId layout) const;
  uint32_t struct_of(TypeId type, LayoutId layout);

  const ir::Module& m_;
  Reflection& out_;
  bool by_rows_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known_;  // type, layout -> index
};

}  // namespace carry::reflect
