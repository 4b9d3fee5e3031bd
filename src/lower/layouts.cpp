// Layouts of buffers. They are built from the checker's types, whose int and bool matrices are matrices still, so that these lie
// by rows or by columns like those of floats; then each node gets the IR's type: an array of rows whose components may lie apart.
#include <algorithm>
#include <array>
#include <string>

#include "lower/module_lowering.h"

namespace carry::lower {

bool ModuleLowering::holds_row_arrays(TypeId source) {
  const Type t = types[source];
  if (t.kind == TypeKind::matrix) return types.kind(ir_type(source)) != TypeKind::matrix;
  if (t.kind == TypeKind::array) return holds_row_arrays(t.element);
  if (t.kind != TypeKind::struct_) return false;
  if (const auto found = holds_row_arrays_.find(source.value); found != holds_row_arrays_.end()) return found->second;
  bool result = false;
  const std::vector<Member> members = types.struct_decl(source).members;
  for (const Member& m : members) result = result || holds_row_arrays(m.type);
  holds_row_arrays_[source.value] = result;
  return result;
}

/// The IR's type, but with the matrices that it has no type for.
TypeId ModuleLowering::layout_type(TypeId source) {
  if (!holds_row_arrays(source)) return ir_type(source);
  const Type t = types[source];
  if (t.kind == TypeKind::matrix) return t.columns == 1 || t.rows == 1 ? ir_type(source) : source;
  if (t.kind == TypeKind::array) {
    const TypeId element = layout_type(t.element);
    const Type mapped = types[ir_type(source)];
    return mapped.count_override != Id<TypeId>::kNone ? types.array_override(element, mapped.count_override)
                                                      : types.array(element, mapped.count);
  }
  if (const auto found = layout_map_.find(source.value); found != layout_map_.end()) return found->second;
  std::vector<Member> members = types.struct_decl(source).members;
  for (Member& m : members) {
    m.type = layout_type(m.type);
    if (hlsl()) m.major = flipped(m.major);
  }
  const TypeId result = types.make_struct(types.struct_decl(source).name, std::move(members));
  layout_map_[source.value] = result;
  return result;
}

/// Rows (columns of the IR) as elements; of a matrix that lies the other way their components are a line apart.
LayoutId ModuleLowering::row_array(const Layout& matrix, TypeId ir) {
  const TypeId row = types[ir].element;
  Layout l;
  l.kind = Layout::Kind::array;
  l.type = ir;
  l.size = matrix.size;
  l.align = matrix.align;
  const LayoutId adjacent = layouts.scalar_or_vector(types, row);
  const uint32_t scalar = layouts[layouts.scalar_or_vector(types, types.part(row, 0))].size;
  l.stride = matrix.row_major ? scalar : matrix.stride;
  l.element = matrix.row_major ? layouts.strided_vector(row, matrix.stride) : adjacent;
  return layouts.exact(l);
}

LayoutId ModuleLowering::relabel(LayoutId layout, TypeId source, TypeId ir) {
  const Layout l = layouts[layout];
  if (l.type == ir) return layout;
  if (l.kind == Layout::Kind::matrix) return row_array(l, ir);
  if (l.kind == Layout::Kind::array) {
    Layout copy = l;
    copy.type = ir;
    copy.element = relabel(l.element, types[source].element, types[ir].element);
    return layouts.exact(copy);
  }
  std::vector<uint32_t> offsets;
  std::vector<LayoutId> members;
  for (uint32_t i = 0; i < types.struct_decl(ir).members.size(); ++i) {
    offsets.push_back(layouts.member_offset(layout, i));
    members.push_back(relabel(layouts.member_layout(layout, i), types.part(source, i), types.part(ir, i)));
  }
  return layouts.explicit_struct(ir, offsets, members, l.size, l.align);
}

LayoutId ModuleLowering::buffer_layout(TypeId source, LayoutRule rule, bool row_major) {
  const TypeId type = layout_type(source);
  const LayoutId built = layouts.build(types, type, {.rule = rule, .row_major_default = row_major});
  return holds_row_arrays(source) ? relabel(built, source, ir_type(source)) : built;
}

/// `layout(offset = )` and packoffset: each member at a multiple of its alignment, none over another (GLSL 4.60, 4.4.5).
void ModuleLowering::check_offsets(TypeId block, LayoutId layout, LayoutRule rule, VarId owner) {
  if (types.kind(block) != TypeKind::struct_) return;
  const std::vector<Member> members = types.struct_decl(block).members;
  const auto place = [&](uint32_t member) {
    const uint32_t id = types[block].struct_id.value;
    const bool known = id < facts.members.size() && member < facts.members[id].size();
    if (known && facts.members[id][member].decl) return tree.range(facts.members[id][member].decl);
    // $Globals is declared nowhere: the place is that of the member.
    for (VarId id : facts.variables.ids()) {
      const Variable& v = facts.variables[id];
      if (v.kind == VarKind::block_member && v.owner == owner && v.member == member && v.decl) return tree.range(v.decl);
    }
    return facts.variables[owner].decl ? tree.range(facts.variables[owner].decl) : LocRange{};
  };
  std::vector<std::array<uint32_t, 3>> taken;  // begin, end, member
  for (uint32_t i = 0; i < members.size(); ++i) {
    const Layout& l = layouts[layouts.member_layout(layout, i)];
    const uint32_t begin = layouts.member_offset(layout, i);
    const bool by_scalar = types.is_vector(members[i].type) && (hlsl() || rule == LayoutRule::scalar);
    const uint32_t align = by_scalar ? scalar_bits(types.scalar_of(members[i].type)) / 8 : std::max(1u, l.align);
    const std::string name = "of `" + std::string(names.text(members[i].name)) + "` ";
    if (members[i].offset != Id<TypeId>::kNone && begin % align != 0) {
      diags.emit(place(i), diag::bad_layout, "offset", name + "must be a multiple of " + std::to_string(align));
      return;
    }
    taken.push_back({begin, begin + l.size, i});
  }
  std::sort(taken.begin(), taken.end());
  for (size_t i = 1; i < taken.size(); ++i) {
    if (taken[i][0] >= taken[i - 1][1]) continue;
    const auto name = [&](size_t n) { return "`" + std::string(names.text(members[taken[n][2]].name)) + "`"; };
    diags.emit(place(taken[i][2]), diag::bad_layout, "offset", "places " + name(i) + " over " + name(i - 1));
    return;
  }
}

}  // namespace carry::lower
