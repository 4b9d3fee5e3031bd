#include "pass/memory_shape.h"

#include <algorithm>
#include <string>

namespace carry::pass {

namespace {

constexpr uint32_t kNoRoom = 0xffffffffu;

constexpr uint32_t round_up(uint32_t v, uint32_t align) { return (v + align - 1) / align * align; }
/// Largest power of two that divides both; `offset` 0 divides by everything.
constexpr uint32_t common_align(uint32_t align, uint32_t offset) {
  return offset == 0 ? align : std::min(align, offset & (~offset + 1));
}

uint32_t bytes(ScalarKind s) { return s == ScalarKind::bool_ ? 4 : scalar_bits(s) / 8; }

}  // namespace

LayoutId ShapeTable::layout_of(TypeId memory, LayoutId before) {
  if (options_.same_layout) return relayout(before, memory);
  LayoutOptions options;
  options.rule = options_.rule;
  return m_.layouts().build(types(), memory, options);
}

ShapeId ShapeTable::root(TypeId type, LayoutId layout, bool uniform, const Touch* touch, uint32_t align) {
  if (options_.same_layout) return same(type, layout, touch);
  Place place{align, kNoRoom};
  place.uniform = uniform && options_.wgsl_uniform;
  place.touch = touch;
  // The host may bind no more bytes than the layout has. Uniform buffers come in multiples of 16 anyway.
  const uint32_t size = layout && !uniform ? m_.layouts()[layout].size : 0;
  const Type last = last_member(type);
  if (size != 0 && last.kind != TypeKind::bindings && !(last.kind == TypeKind::array && last.count == 0)) {
    Place exact = place;
    exact.room = size;
    if (const ShapeId id = build(type, layout, exact)) return id;
  }
  return build(type, layout, place);
}

Type ShapeTable::last_member(TypeId type) {
  while (types().kind(type) == TypeKind::struct_ && !types().struct_decl(type).members.empty())
    type = types().struct_decl(type).members.back().type;
  return types()[type];
}

ShapeId ShapeTable::build(TypeId type, LayoutId layout, const Place& place) {
  switch (types().kind(type)) {
    case TypeKind::scalar:
    case TypeKind::vector:
    case TypeKind::atomic: return leaf(type, layout, place);
    case TypeKind::matrix: return matrix(type, layout, place);
    case TypeKind::array: return array(type, layout, place);
    case TypeKind::struct_: return structure(type, layout, place);
    case TypeKind::bindings: {
      Place inner = place;
      inner.touch = place.touch != nullptr ? place.touch->find(0) : nullptr;
      Shape s;
      s.kind = Shape::Kind::bindings;
      s.value = type;
      s.element = build(types()[type].element, layout, inner);
      if (!s.element) return {};
      s.memory = types().bindings(shapes_[s.element].memory, types()[type].count);
      s.moved = shapes_[s.element].moved;
      return add(std::move(s));
    }
    default: return {};
  }
}

ShapeId ShapeTable::leaf(TypeId type, LayoutId layout, const Place& place) {
  const Type t = types()[type];
  Shape s;
  s.value = t.kind == TypeKind::atomic ? t.element : type;
  const Touch* scalar_touch = place.touch != nullptr && t.kind == TypeKind::vector ? place.touch->find(0) : place.touch;
  s.atomic = t.kind == TypeKind::atomic || (scalar_touch != nullptr && scalar_touch->atomic);
  s.scalar = t.scalar;
  if (layout && t.scalar == ScalarKind::bool_) s.scalar = ScalarKind::u32;
  if (s.atomic && t.kind != TypeKind::atomic) {
    const bool as_signed = scalar_touch->signed_order && !scalar_touch->unsigned_order;
    s.scalar = as_signed ? ScalarKind::i32 : ScalarKind::u32;
  }
  const uint32_t n = bytes(s.scalar);
  if (layout && n < 4 && is_int(s.scalar) && !options_.narrow_ints) return {};
  s.size = n;
  s.align = n;
  if (layout && n == 8 && place.align == 4 && options_.packed_vectors && !s.atomic) return words(s);
  if (layout && n > place.align) return {};
  if (t.kind != TypeKind::vector) {
    s.memory = atomic_or(s.scalar, s.atomic);
    return add(std::move(s));
  }
  const uint32_t count = t.rows;
  const uint32_t align = count == 2 ? 2 * n : 4 * n;
  const uint32_t size = n * (options_.packed_vectors && count == 3 ? 4 : count);
  const bool fits = !layout || (align <= place.align && size <= place.room && m_.layouts()[layout].stride == 0);
  if (fits && !s.atomic && (t.flags & kVectorPacked) == 0) {
    s.memory = types().with_scalar(type, s.scalar);
    s.size = size;
    s.align = align;
    return add(std::move(s));
  }
  s.size = n * count;
  if (options_.packed_vectors && !s.atomic) {
    Type packed = types()[types().with_scalar(type, s.scalar)];
    packed.flags |= kVectorPacked;
    s.memory = types().intern(packed);
    return add(std::move(s));
  }
  if (place.uniform) return {};
  s.kind = Shape::Kind::scalars;
  s.memory = types().array(atomic_or(s.scalar, s.atomic), count);
  return add(std::move(s));
}

ShapeId ShapeTable::words(Shape s) {
  Type pair = types()[types().vector(ScalarKind::u32, 2)];
  pair.flags |= kVectorPacked;
  const TypeId memory = types().intern(pair);
  const uint32_t count = types().component_count(s.value);
  s.kind = count == 1 ? Shape::Kind::words : Shape::Kind::scalars;
  s.memory = count == 1 ? memory : types().array(memory, count);
  s.size = 8 * count;
  s.align = 4;
  return add(std::move(s));
}

ShapeId ShapeTable::component(ShapeId vector) {
  Shape s;
  const Shape v = shapes_[vector];
  s.value = types().is_vector(v.value) ? types().part(v.value, 0) : v.value;
  if (v.kind == Shape::Kind::scalars && types().is_vector(types()[v.memory].element)) {
    s.scalar = v.scalar;
    return words(std::move(s));
  }
  s.scalar = v.scalar;
  s.atomic = v.atomic;
  s.memory = atomic_or(v.scalar, v.atomic);
  s.size = s.align = bytes(v.scalar);
  return add(std::move(s));
}

ShapeId ShapeTable::column(ShapeId matrix) {
  Shape s;
  s.value = s.memory = types().part(shapes_[matrix].value, 0);
  s.scalar = types().scalar_of(s.value);
  return add(std::move(s));
}

ShapeId ShapeTable::matrix(TypeId type, LayoutId layout, const Place& place) {
  const Type t = types()[type];
  Shape s;
  s.value = type;
  if (!layout) {
    s.kind = Shape::Kind::matrix;
    s.memory = type;
    return add(std::move(s));
  }
  const Layout l = m_.layouts()[layout];
  s.row_major = l.row_major;
  const uint32_t lines = l.row_major ? t.rows : t.columns;
  const uint32_t length = l.row_major ? t.columns : t.rows;
  const uint32_t n = bytes(t.scalar);
  s.align = length == 2 ? 2 * n : 4 * n;
  const uint32_t stride = n * (length == 3 ? 4 : length);
  s.size = stride * lines;
  if (l.stride == stride && s.align <= place.align && s.size <= place.room && place.touch == nullptr) {
    s.kind = l.row_major ? Shape::Kind::transposed : Shape::Kind::matrix;
    s.memory = types().matrix(t.scalar, lines, length);
    s.moved = l.row_major;
    return add(std::move(s));
  }
  const TypeId line = types().vector(t.scalar, length);
  const LayoutId line_layout = m_.layouts().scalar_or_vector(types(), line);
  const Touch* touch = place.touch != nullptr ? place.touch->find(0) : nullptr;
  return elements(type, layout, l.stride, line, line_layout, lines, Id<TypeId>::kNone, place, touch, Shape::Kind::lines);
}

ShapeId ShapeTable::array(TypeId type, LayoutId layout, const Place& place) {
  const Type t = types()[type];
  const Touch* touch = place.touch != nullptr ? place.touch->find(0) : nullptr;
  const Layout l = layout ? m_.layouts()[layout] : Layout{};
  return elements(type, layout, l.stride, t.element, l.element, t.count, t.count_override, place, touch, Shape::Kind::array);
}

ShapeId ShapeTable::elements(TypeId value, LayoutId layout, uint32_t stride, TypeId element, LayoutId element_layout,
                             uint32_t count, uint32_t count_override, const Place& place, const Touch* touch,
                             Shape::Kind kind) {
  Place inner = place;
  inner.touch = touch;
  inner.want = 0;
  if (layout) {
    if (place.uniform && stride % 16 != 0) return {};
    inner.align = common_align(place.align, stride);
    inner.room = stride;
    inner.want = types().kind(element) == TypeKind::struct_ ? stride : 0;
  }
  Shape s;
  s.kind = kind;
  s.value = value;
  if (layout) s.row_major = m_.layouts()[layout].row_major;
  s.element = build(element, element_layout, inner);
  if (!s.element) return {};
  Shape e = shapes_[s.element];
  TypeId memory = e.memory;
  uint32_t natural = round_up(e.size, e.align);
  if (layout && natural != stride) {
    const bool word = e.kind == Shape::Kind::leaf && !e.atomic && bytes(e.scalar) == 4;
    if (word && stride == 16 && inner.align >= 16) {
      e.kind = Shape::Kind::widened;
      e.memory = memory = types().vector(e.scalar, 4);
      e.size = e.align = natural = 16;
      s.element = add(e);
    } else {
      Pads pads;
      pads.members.push_back({m_.names().intern("value"), memory});
      pad(pads, e.size, stride, place.uniform);
      memory = make_struct(m_.names().intern("Element"), std::move(pads.members));
      s.wrapped = true;
      natural = stride;
    }
  }
  s.align = e.align;
  s.size = natural * count;
  if (layout && s.size > place.room) return {};
  s.memory =
      count_override != Id<TypeId>::kNone ? types().array_override(memory, count_override) : types().array(memory, count);
  if (kind == Shape::Kind::array && memory == element) s.memory = value;
  s.moved = e.moved;
  return add(std::move(s));
}

void ShapeTable::pad(Pads& pads, uint32_t from, uint32_t to, bool uniform) {
  const auto push = [&](TypeId type) {
    pads.members.push_back({m_.names().intern("_pad" + std::to_string(pads.next)), type});
    ++pads.next;
  };
  if (from % 2 != 0 && from < to) {
    push(TypeId::u8);
    ++from;
  }
  if (from % 4 != 0 && from + 2 <= to) {
    push(options_.packed_vectors ? TypeId::u16 : TypeId::f16);
    from += 2;
  }
  const uint32_t words = (to - from) / 4;
  if (!uniform && words > 1) {
    push(types().array(TypeId::u32, words));
    from += 4 * words;
  }
  // Arrays in WGSL's uniform buffers have a stride of 16.
  while (from + 4 <= to) {
    const uint32_t rows = (to - from) / 16;
    if (from % 16 == 0 && rows > 1) {
      push(types().array(types().vector(ScalarKind::u32, 4), rows));
      from += 16 * rows;
    } else {
      push(TypeId::u32);
      from += 4;
    }
  }
  if (from + 2 <= to) {
    push(options_.packed_vectors ? TypeId::u16 : TypeId::f16);
    from += 2;
  }
  if (from < to) push(TypeId::u8);
}

TypeId ShapeTable::make_struct(NameId name, std::vector<Member> members) {
  for (const Made& made : made_) {
    if (made.name != name || made.members.size() != members.size()) continue;
    const bool same = std::equal(members.begin(), members.end(), made.members.begin(),
                                 [](const Member& a, const Member& b) { return a.name == b.name && a.type == b.type; });
    if (same) return made.type;
  }
  const TypeId type = types().make_struct(name, members);
  made_.push_back({name, std::move(members), type});
  return type;
}

ShapeId ShapeTable::structure(TypeId type, LayoutId layout, const Place& place) {
  if (!layout) return structure_at(type, layout, place);
  // A smaller alignment gives a smaller size, at the price of vectors taken apart.
  for (uint32_t align = place.align; align != 0; align /= 2) {
    Place tried = place;
    tried.align = align;
    const ShapeId id = structure_at(type, layout, tried);
    if (id) return id;
  }
  return {};
}

ShapeId ShapeTable::structure_at(TypeId type, LayoutId layout, const Place& place) {
  const std::vector<Member> decl = types().struct_decl(type).members;
  const NameId name = types().struct_decl(type).name;
  std::vector<uint32_t> order(decl.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto offset = [&](uint32_t i) { return m_.layouts().member_offset(layout, i); };
  if (layout) std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return offset(a) < offset(b); });
  Shape s;
  s.kind = Shape::Kind::struct_;
  s.value = type;
  s.members.resize(decl.size());
  s.member_index.resize(decl.size());
  Pads out;
  bool same = !decl.empty();
  uint32_t position = 0;
  uint32_t floor = 0;  // WGSL uniform: first legal offset after a nested struct
  bool runtime = false;
  for (uint32_t k = 0; k < order.size(); ++k) {
    const uint32_t i = order[k];
    Place inner = place;
    inner.want = 0;
    inner.touch = place.touch != nullptr ? place.touch->find(i) : nullptr;
    if (layout) {
      const uint32_t end = place.want != 0 ? place.want : place.room;
      const uint32_t next = k + 1 < order.size() ? offset(order[k + 1]) : end;
      if (next < offset(i) || offset(i) < std::max(position, floor)) return {};
      inner.align = common_align(place.align, offset(i));
      inner.room = next == kNoRoom ? kNoRoom : next - offset(i);
    }
    const LayoutId member_layout = layout ? m_.layouts().member_layout(layout, i) : LayoutId{};
    s.members[i] = build(decl[i].type, member_layout, inner);
    if (!s.members[i]) return {};
    // Padding after a nested struct counts as a member, and those begin at multiples of 16: it goes inside.
    const uint32_t whole = round_up(shapes_[s.members[i]].size, 16);
    const bool nested = place.uniform && layout && types().kind(shapes_[s.members[i]].memory) == TypeKind::struct_;
    if (nested && shapes_[s.members[i]].size != whole && inner.room != kNoRoom && inner.room >= whole) {
      inner.want = whole;
      s.members[i] = build(decl[i].type, member_layout, inner);
      if (!s.members[i]) return {};
    }
    const Shape e = shapes_[s.members[i]];
    if (layout) {
      const TypeKind kind = types().kind(e.memory);
      if (place.uniform && (kind == TypeKind::struct_ || kind == TypeKind::array) && offset(i) % 16 != 0) return {};
      if (round_up(position, e.align) != offset(i)) {
        pad(out, position, offset(i), place.uniform);
        same = false;
      }
      position = offset(i) + e.size;
      floor = place.uniform && kind == TypeKind::struct_ ? round_up(position, 16) : 0;
      runtime =
          kind == TypeKind::array && types()[e.memory].count == 0 && types()[e.memory].count_override == Id<TypeId>::kNone;
    }
    s.align = std::max(s.align, e.align);
    s.member_index[i] = static_cast<uint32_t>(out.members.size());
    same = same && e.plain() && s.member_index[i] == i;
    out.members.push_back({decl[i].name, e.memory});
  }
  s.size = round_up(position, s.align);
  if (layout && !runtime) {
    if (place.want != 0 && s.size < place.want) {
      pad(out, position, place.want, place.uniform);
      same = false;
      s.size = place.want;
    }
    if (s.size > place.room || (place.want != 0 && s.size != place.want)) return {};
  }
  if (out.members.empty()) pad(out, 0, 4, place.uniform);
  s.memory = same ? type : make_struct(name, std::move(out.members));
  return add(std::move(s));
}

}  // namespace carry::pass
