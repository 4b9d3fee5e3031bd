// Shapes for targets whose pointers keep their layouts: every byte stays, atomic float scalars become words.
#include "pass/memory_shape.h"

namespace carry::pass {

ShapeId ShapeTable::same(TypeId type, const Touch* touch) {
  const Type t = types()[type];
  const Touch* inner = touch != nullptr && t.kind != TypeKind::scalar ? touch->find(0) : nullptr;
  Shape s;
  s.value = s.memory = type;
  s.scalar = types().scalar_of(type);
  switch (t.kind) {
    case TypeKind::struct_: return same_struct(type, touch);
    case TypeKind::scalar:
    case TypeKind::vector: {
      const Touch* scalar = t.kind == TypeKind::vector ? inner : touch;
      if (scalar != nullptr && scalar->atomic) {
        if (s.scalar != ScalarKind::f32) return {};
        s.scalar = ScalarKind::u32;
        s.memory = types().with_scalar(type, s.scalar);
      }
      break;
    }
    case TypeKind::matrix:
      if (touch != nullptr) return {};
      s.kind = Shape::Kind::matrix;
      break;
    case TypeKind::array:
    case TypeKind::bindings: {
      s.kind = t.kind == TypeKind::array ? Shape::Kind::array : Shape::Kind::bindings;
      s.element = same(t.element, inner);
      if (!s.element) return {};
      const TypeId element = shapes_[s.element].memory;
      if (element == t.element) break;
      const bool override_count = t.kind == TypeKind::array && t.count_override != Id<TypeId>::kNone;
      s.memory = t.kind == TypeKind::bindings ? types().bindings(element, t.count)
                 : override_count             ? types().array_override(element, t.count_override)
                                              : types().array(element, t.count);
      break;
    }
    default: break;
  }
  return add(std::move(s));
}

ShapeId ShapeTable::same_struct(TypeId type, const Touch* touch) {
  std::vector<Member> members = types().struct_decl(type).members;
  Shape s;
  s.kind = Shape::Kind::struct_;
  s.value = s.memory = type;
  bool changed = false;
  for (uint32_t i = 0; i < members.size(); ++i) {
    const ShapeId member = same(members[i].type, touch != nullptr ? touch->find(i) : nullptr);
    if (!member) return {};
    s.members.push_back(member);
    s.member_index.push_back(i);
    changed = changed || !shapes_[member].plain();
    members[i].type = shapes_[member].memory;
  }
  if (changed) s.memory = make_struct(types().struct_decl(type).name, std::move(members));
  return add(std::move(s));
}

LayoutId ShapeTable::relayout(LayoutId before, TypeId type) {
  LayoutTable& layouts = m_.layouts();
  if (!before || layouts[before].type == type) return before;
  Layout l = layouts[before];
  if (l.kind != Layout::Kind::struct_) {
    l.type = type;
    if (l.kind == Layout::Kind::array) l.element = relayout(l.element, types()[type].element);
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
