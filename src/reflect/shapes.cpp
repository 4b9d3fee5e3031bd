#include "reflect/shapes.h"

#include <algorithm>

#include "types/layout_crossed.h"

namespace carry::reflect {

/// The IR's columns are HLSL's rows, so what is contiguous there is a row here, and the other way round.
Shape Shapes::matrix(const Type& type, LayoutId layout) const {
  Shape s;
  s.kind = Shape::Kind::matrix;
  s.scalar = scalar_name(type.scalar);
  s.rows = by_rows_ ? type.columns : type.rows;
  s.columns = by_rows_ ? type.rows : type.columns;
  if (!layout) return s;
  const Layout& l = m_.layouts()[layout];
  s.row_major = l.row_major != by_rows_;
  s.matrix_stride = l.stride;
  return s;
}

/// A matrix of ints or bools that lies by columns: its rows are the elements, their components lie a column apart.
Shape Shapes::crossed_matrix(const Type& rows, LayoutId layout) const {
  const Layout& row = m_.layouts()[m_.layouts()[layout].element];
  Shape s;
  s.kind = Shape::Kind::matrix;
  s.scalar = scalar_name(m_.types()[rows.element].scalar);
  s.rows = rows.count;
  s.columns = m_.types()[rows.element].rows;
  s.matrix_stride = row.stride;
  return s;
}

uint32_t Shapes::struct_of(TypeId type, LayoutId layout) {
  const auto key = std::make_pair(type.value, layout.value);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const StructDecl& decl = m_.types().struct_decl(type);
  Struct s;
  s.name = m_.names().text(decl.name);
  if (layout) {
    s.size = m_.layouts()[layout].size;
    s.align = m_.layouts()[layout].align;
  }
  for (uint32_t i = 0; i < decl.members.size(); ++i) {
    Field f;
    f.name = m_.names().text(decl.members[i].name);
    LayoutId inner;
    if (layout) {
      f.offset = m_.layouts().member_offset(layout, i);
      inner = m_.layouts().member_layout(layout, i);
    }
    f.shape = shape(decl.members[i].type, inner);
    s.fields.push_back(std::move(f));
  }
  out_.structs.push_back(std::move(s));
  const auto index = static_cast<uint32_t>(out_.structs.size() - 1);
  known_[key] = index;
  return index;
}

Shape Shapes::shape(TypeId type, LayoutId layout) {
  const Type& t = m_.types()[type];
  Shape s;
  switch (t.kind) {
    case TypeKind::vector:
      s.kind = Shape::Kind::vector;
      s.scalar = scalar_name(t.scalar);
      s.rows = t.rows;
      break;
    case TypeKind::matrix: s = matrix(t, layout); break;
    case TypeKind::array:
      if (layout && lies_across(m_.layouts(), layout)) {
        s = crossed_matrix(t, layout);
        break;
      }
      s.kind = Shape::Kind::array;
      s.count = t.count;
      if (t.count_override != Id<TypeId>::kNone) {
        const ir::ValueId count(t.count_override);
        if (count.is_global()) s.count_constant = m_.names().text(m_.globals[count.global_id()].name);
      }
      s.element.push_back(shape(t.element, layout ? m_.layouts()[layout].element : LayoutId()));
      if (layout) s.stride = m_.layouts()[layout].stride;
      break;
    case TypeKind::struct_:
      s.kind = Shape::Kind::struct_;
      s.struct_index = struct_of(type, layout);
      break;
    case TypeKind::pointer: s.scalar = "pointer"; break;
    default: s.scalar = scalar_name(t.scalar); break;
  }
  if (layout) {
    s.size = m_.layouts()[layout].size;
    s.align = m_.layouts()[layout].align;
  }
  return s;
}

}  // namespace carry::reflect
