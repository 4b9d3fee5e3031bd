#include "types/layout.h"

#include "base/hash.h"

namespace carry {

namespace {

constexpr std::string_view kRuleNames[] = {"std140",         "std430",  "scalar",     "std140_relaxed",
                                           "std430_relaxed", "cbuffer", "structured", "wgsl_uniform",
                                           "wgsl_storage",   "msl",     "explicit"};

constexpr uint32_t round_up(uint32_t value, uint32_t align) { return align <= 1 ? value : (value + align - 1) / align * align; }

uint32_t scalar_bytes(ScalarKind s) { return s == ScalarKind::bool_ ? 4 : scalar_bits(s) / 8; }

bool is_relaxed(LayoutRule r) { return r == LayoutRule::std140_relaxed || r == LayoutRule::std430_relaxed; }
bool is_packed(LayoutRule r) { return r == LayoutRule::scalar || r == LayoutRule::structured || r == LayoutRule::cbuffer; }

/// Arrays and structs start at multiples of 16.
bool rounds_to_16(LayoutRule r) {
  return r == LayoutRule::std140 || r == LayoutRule::std140_relaxed || r == LayoutRule::cbuffer ||
         r == LayoutRule::wgsl_uniform;
}

/// Alignment of a vector by itself, as an array element or matrix line.
uint32_t vector_align(LayoutRule rule, ScalarKind s, uint32_t count) {
  const uint32_t n = scalar_bytes(s);
  if (is_packed(rule) || count == 1) return n;
  return count == 2 ? 2 * n : 4 * n;
}

uint32_t vector_size(LayoutRule rule, ScalarKind s, uint32_t count) {
  return scalar_bytes(s) * (rule == LayoutRule::msl && count == 3 ? 4 : count);
}

uint64_t hash_layout(const Layout& l, std::span<const uint32_t> offsets, std::span<const LayoutId> members) {
  uint64_t h =
      static_cast<uint64_t>(l.kind) | static_cast<uint64_t>(l.row_major) << 8 | static_cast<uint64_t>(l.type.value) << 16;
  h = hash_mix(h, static_cast<uint64_t>(l.size) | static_cast<uint64_t>(l.align) << 32);
  h = hash_mix(h, static_cast<uint64_t>(l.stride) | static_cast<uint64_t>(l.element.value) << 32);
  for (uint32_t o : offsets) h = hash_mix(h, o);
  for (LayoutId m : members) h = hash_mix(h, m.value);
  return h;
}

/// DXC's relaxed rules and D3D's cbuffer: a vector may sit at any multiple of its scalar unless it would straddle 16 bytes.
uint32_t place_vector(uint32_t offset, uint32_t size, uint32_t scalar_align) {
  offset = round_up(offset, scalar_align);
  const bool straddles = size <= 16 ? offset / 16 != (offset + size - 1) / 16 : offset % 16 != 0;
  return straddles ? round_up(offset, 16) : offset;
}

}  // namespace

std::string_view layout_rule_name(LayoutRule rule) { return kRuleNames[static_cast<size_t>(rule)]; }

LayoutId LayoutTable::intern(const Layout& layout, std::span<const uint32_t> offsets, std::span<const LayoutId> members) {
  const auto offsets_of = [&](LayoutId id) {
    return std::span<const uint32_t>(offsets_.data() + layouts_[id].members.first, layouts_[id].members.count);
  };
  const auto members_of = [&](LayoutId id) {
    return std::span<const LayoutId>(member_layouts_.data() + layouts_[id].members.first, layouts_[id].members.count);
  };
  return index_.find_or_make(
      hash_layout(layout, offsets, members),
      [&](LayoutId id) {
        const Layout& o = layouts_[id];
        if (o.kind != layout.kind || o.row_major != layout.row_major || !(o.type == layout.type) || o.size != layout.size ||
            o.align != layout.align || o.stride != layout.stride || !(o.element == layout.element) ||
            o.members.count != offsets.size())
          return false;
        for (size_t i = 0; i < offsets.size(); ++i) {
          if (offsets_of(id)[i] != offsets[i] || members_of(id)[i] != members[i]) return false;
        }
        return true;
      },
      [&] {
        Layout copy = layout;
        copy.members = {static_cast<uint32_t>(offsets_.size()), static_cast<uint32_t>(offsets.size())};
        offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
        member_layouts_.insert(member_layouts_.end(), members.begin(), members.end());
        return layouts_.add(copy);
      },
      [&](LayoutId id) { return hash_layout(layouts_[id], offsets_of(id), members_of(id)); });
}

LayoutId LayoutTable::scalar_or_vector(TypeTable& types, TypeId type) {
  const Type& t = types[type];
  Layout l;
  l.kind = t.kind == TypeKind::vector ? Layout::Kind::vector : Layout::Kind::scalar;
  l.type = type;
  l.size = scalar_bytes(t.scalar) * (t.kind == TypeKind::vector ? t.rows : 1);
  l.align = scalar_bytes(t.scalar);
  return intern(l, {}, {});
}

LayoutId LayoutTable::build(TypeTable& types, TypeId type, const LayoutOptions& options, Majorness major) {
  const Type t = types[type];
  Layout l;
  l.type = type;
  const bool to_16 = rounds_to_16(options.rule);
  switch (t.kind) {
    case TypeKind::vector:
      l.kind = Layout::Kind::vector;
      l.size = vector_size(options.rule, t.scalar, t.rows);
      l.align = vector_align(options.rule, t.scalar, t.rows);
      if (t.flags & kVectorPacked) {
        l.size = scalar_bytes(t.scalar) * t.rows;
        l.align = scalar_bytes(t.scalar);
      }
      return intern(l, {}, {});
    case TypeKind::matrix: {
      l.kind = Layout::Kind::matrix;
      l.row_major = major == Majorness::by_default ? options.row_major_default : major == Majorness::row;
      const uint32_t lines = l.row_major ? t.rows : t.columns;
      const uint32_t line_count = l.row_major ? t.columns : t.rows;
      const uint32_t line_align = vector_align(options.rule, t.scalar, line_count);
      const uint32_t line_size = vector_size(options.rule, t.scalar, line_count);
      l.align = to_16 && options.rule != LayoutRule::wgsl_uniform ? round_up(line_align, 16) : line_align;
      l.stride = round_up(line_size, l.align);
      l.size = options.rule == LayoutRule::cbuffer ? l.stride * (lines - 1) + line_size : l.stride * lines;
      return intern(l, {}, {});
    }
    case TypeKind::array: {
      l.kind = Layout::Kind::array;
      l.element = build(types, t.element, options, major);
      const Layout e = layouts_[l.element];
      l.align = to_16 ? round_up(e.align, 16) : e.align;
      l.stride = round_up(e.size, l.align);
      const uint32_t count = t.count_override == Id<TypeId>::kNone ? t.count : types.override_default(t.count_override);
      l.size = count == 0 ? 0 : l.stride * count;
      if (options.rule == LayoutRule::cbuffer && count != 0) l.size = l.stride * (count - 1) + e.size;
      return intern(l, {}, {});
    }
    case TypeKind::struct_: break;
    default: {
      l.kind = Layout::Kind::scalar;
      l.size = t.kind == TypeKind::pointer ? 8 : scalar_bytes(t.scalar);
      l.align = l.size == 0 ? 1 : l.size;
      return intern(l, {}, {});
    }
  }
  l.kind = Layout::Kind::struct_;
  std::vector<uint32_t> offsets;
  std::vector<LayoutId> members;
  uint32_t offset = 0;
  uint32_t end = 0;  // offsets in the source may go in any order
  const size_t count = types.struct_decl(type).members.size();
  for (size_t i = 0; i < count; ++i) {
    const Member m = types.struct_decl(type).members[i];
    const LayoutId id = build(types, m.type, options, m.major == Majorness::by_default ? major : m.major);
    const Layout ml = layouts_[id];
    const uint32_t align = m.align > ml.align ? m.align : ml.align;
    const bool relaxed_vector = types.is_vector(m.type) && (is_relaxed(options.rule) || options.rule == LayoutRule::cbuffer);
    if (m.offset != Id<TypeId>::kNone) {
      offset = m.align != 0 ? round_up(m.offset, align) : m.offset;
    } else if (relaxed_vector) {
      offset = place_vector(offset, ml.size, scalar_bytes(types.scalar_of(m.type)));
      if (m.align != 0) offset = round_up(offset, m.align);
    } else if (to_16 && options.rule == LayoutRule::cbuffer && !types.is_scalar(m.type)) {
      offset = round_up(offset, 16);
    } else {
      offset = round_up(offset, align);
    }
    offsets.push_back(offset);
    members.push_back(id);
    // DXC: relaxed vectors move closer together, the struct keeps their full alignment.
    if (align > l.align) l.align = align;
    offset += ml.size;
    if (offset > end) end = offset;
  }
  if (to_16) l.align = round_up(l.align, 16);
  l.size = options.rule == LayoutRule::cbuffer ? end : round_up(end, l.align);
  return intern(l, offsets, members);
}

LayoutId LayoutTable::explicit_struct(TypeId type, std::span<const uint32_t> offsets, std::span<const LayoutId> members,
                                      uint32_t size, uint32_t align) {
  Layout l;
  l.kind = Layout::Kind::struct_;
  l.type = type;
  l.size = size;
  l.align = align;
  return intern(l, offsets, members);
}

LayoutId LayoutTable::explicit_array(TypeId type, uint32_t stride, LayoutId element, uint32_t count) {
  Layout l;
  l.kind = Layout::Kind::array;
  l.type = type;
  l.stride = stride;
  l.element = element;
  l.size = stride * count;
  l.align = layouts_[element].align;
  return intern(l, {}, {});
}

LayoutId LayoutTable::explicit_matrix(TypeId type, uint32_t stride, bool row_major, uint32_t lines) {
  Layout l;
  l.kind = Layout::Kind::matrix;
  l.type = type;
  l.stride = stride;
  l.row_major = row_major;
  l.size = stride * lines;
  l.align = 4;
  return intern(l, {}, {});
}

LayoutId LayoutTable::strided_vector(TypeId type, uint32_t component_stride) {
  Layout l;
  l.kind = Layout::Kind::vector;
  l.type = type;
  l.stride = component_stride;
  l.align = 4;
  return intern(l, {}, {});
}

uint32_t LayoutTable::member_offset(LayoutId struct_layout, uint32_t member) const {
  return offsets_[layouts_[struct_layout].members.first + member];
}

LayoutId LayoutTable::member_layout(LayoutId struct_layout, uint32_t member) const {
  return member_layouts_[layouts_[struct_layout].members.first + member];
}

}  // namespace carry
