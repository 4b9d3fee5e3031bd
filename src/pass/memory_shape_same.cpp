// Shapes for targets whose pointers keep their layouts: every byte stays, atomic float scalars become words, arrays of vectors
// whose components lie apart (int matrices by the other line) become arrays of lines.
#include "pass/memory_shape.h"
#include "types/layout_crossed.h"

namespace carry::pass {

bool ShapeTable::lies_across(LayoutId layout) const {
  return options_.cross && layout && carry::lies_across(m_.layouts(), layout);
}

ShapeId ShapeTable::same(TypeId type, LayoutId layout, const Touch* touch) {
  const Type t = types()[type];
  Shape s;
  s.value = s.memory = type;
  s.scalar = types().scalar_of(type);
  switch (t.kind) {
    case TypeKind::struct_: return same_struct(type, layout, touch);
    case TypeKind::array:
    case TypeKind::bindings: return same_array(type, layout, touch);
    case TypeKind::scalar:
    case TypeKind::vector: {
      const Touch* inner = touch != nullptr && t.kind == TypeKind::vector ? touch->find(0) : touch;
      if (inner != nullptr && inner->atomic) {
        if (s.scalar != ScalarKind::f32) return {};
        s.scalar = ScalarKind::u32;
        s.memory = types().with_scalar(type, s.scalar);
      }
      break;
    }
    case TypeKind::matrix:
      if (touch != nullptr) return {};
      if (is_tight(layout)) return columns(type);
      s.kind = Shape::Kind::matrix;
      break;
    default: break;
  }
  return add(std::move(s));
}

ShapeId ShapeTable::same_array(TypeId type, LayoutId layout, const Touch* touch) {
  const Type t = types()[type];
  const Touch* inner = touch != nullptr ? touch->find(0) : nullptr;
  if (lies_across(layout)) return crossed(type, inner);
  const bool bindings = t.kind == TypeKind::bindings;
  Shape s;
  s.value = s.memory = type;
  s.kind = bindings ? Shape::Kind::bindings : Shape::Kind::array;
  s.element = same(t.element, bindings || !layout ? layout : m_.layouts()[layout].element, inner);
  if (!s.element) return {};
  s.crossed = shapes_[s.element].crossed;
  const TypeId element = shapes_[s.element].memory;
  if (element != t.element) {
    s.memory = bindings                                ? types().bindings(element, t.count)
               : t.count_override != Id<TypeId>::kNone ? types().array_override(element, t.count_override)
                                                       : types().array(element, t.count);
  }
  return add(std::move(s));
}

bool ShapeTable::is_tight(LayoutId layout) {
  if (!options_.cross || !layout) return false;
  if (tight_.empty()) tight_ = find_tight(m_.layouts());
  return layout.value < tight_.size() && tight_[layout.value];
}

/// A matrix as the array of its columns.
ShapeId ShapeTable::columns(TypeId type) {
  const Type t = types()[type];
  Shape s;
  s.kind = Shape::Kind::lines;
  s.value = type;
  s.scalar = t.scalar;
  s.element = same(types().vector(t.scalar, t.rows), {}, nullptr);
  s.memory = types().array(shapes_[s.element].memory, t.columns);
  return add(std::move(s));
}

/// The columns of the rows: memory is the array of them.
ShapeId ShapeTable::crossed(TypeId type, const Touch* touch) {
  const Type t = types()[type];
  const Type row = types()[t.element];
  Shape s;
  s.kind = Shape::Kind::lines;
  s.row_major = s.crossed = true;
  s.value = type;
  s.element = same(types().vector(row.scalar, t.count), {}, touch);
  if (!s.element) return {};
  s.memory = types().array(shapes_[s.element].memory, row.rows);
  return add(std::move(s));
}

ShapeId ShapeTable::same_struct(TypeId type, LayoutId layout, const Touch* touch) {
  std::vector<Member> members = types().struct_decl(type).members;
  Shape s;
  s.kind = Shape::Kind::struct_;
  s.value = s.memory = type;
  bool changed = false;
  for (uint32_t i = 0; i < members.size(); ++i) {
    const LayoutId inner = layout ? m_.layouts().member_layout(layout, i) : LayoutId{};
    const ShapeId member = same(members[i].type, inner, touch != nullptr ? touch->find(i) : nullptr);
    if (!member) return {};
    s.members.push_back(member);
    s.member_index.push_back(i);
    changed = changed || !shapes_[member].plain();
    s.crossed = s.crossed || shapes_[member].crossed;
    members[i].type = shapes_[member].memory;
  }
  if (changed) s.memory = make_struct(types().struct_decl(type).name, std::move(members));
  return add(std::move(s));
}

LayoutId ShapeTable::relayout(LayoutId before, TypeId type) {
  LayoutTable& layouts = m_.layouts();
  if (!before || (layouts[before].type == type && !options_.cross)) return before;
  Layout l = layouts[before];
  if (l.kind != Layout::Kind::struct_) {
    l.type = type;
    if (lies_across(before)) {
      l.stride = layouts[l.element].stride;
      l.element = layouts.scalar_or_vector(types(), types()[type].element);
    } else if (l.kind == Layout::Kind::matrix && types().kind(type) == TypeKind::array) {
      l.kind = Layout::Kind::array;
      l.element = layouts.scalar_or_vector(types(), types()[type].element);
    } else if (l.kind == Layout::Kind::array) {
      l.element = relayout(l.element, types()[type].element);
    }
    return layouts.exact(l);
  }
  std::vector<uint32_t> offsets;
  std::vector<LayoutId> members;
  for (uint32_t i = 0; i < types().struct_decl(type).members.size(); ++i) {
    offsets.push_back(layouts.member_offset(before, i));
    members.push_back(relayout(layouts.member_layout(before, i), types().struct_decl(type).members[i].type));
  }
  return layouts.explicit_struct(type, offsets, members, l.size, l.align);
}

}  // namespace carry::pass
