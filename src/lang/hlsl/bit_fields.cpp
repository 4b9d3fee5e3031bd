// Bit fields, sizeof, auto.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

// Fields of one type share a member as long as they fit (as DXC packs them); the member has the name of its first field.
bool Checker::hlsl_bit_field(TypeId struct_type, NodeId declarator, TypeId type, NodeId annotations) {
  NodeList items;
  tree_.children(annotations, items);
  NodeId width_node;
  for (NodeId a : items) {
    if (tree_.is(a, NodeKind::bitfield_width)) width_node = tree_.child(a, 0);
  }
  if (!width_node) return false;
  check_expr(width_node);
  uint32_t width = 0;
  if (!constant_u32(width_node, width) || type == TypeId::error) return true;
  const bool integer = types_.is_scalar(type) && is_int(types_.scalar_of(type));
  const uint32_t bits = integer ? scalar_bits(types_.scalar_of(type)) : 0;
  if (!integer || width == 0 || width > bits) {
    diags_.emit(range(width_node), diag::bad_type_use, type_text(type), "cannot be a bit field of this width");
    return true;
  }
  const StructId id = types_[struct_type].struct_id;
  std::vector<Member>& members = types_.struct_decl(struct_type).members;
  const NameId name = tree_.name(declarator);
  bool known = find_bit_field(struct_type, name) != nullptr;
  for (const Member& m : members) known = known || m.name == name;
  if (known) {
    diags_.emit(loc(declarator), diag::redeclared, text(name));
    return true;
  }
  if (facts_.bit_fields.size() <= id.value) facts_.bit_fields.resize(id.value + 1);
  std::vector<BitField>& fields = facts_.bit_fields[id.value];
  BitField field;
  field.name = name;
  field.width = static_cast<uint8_t>(width);
  const bool goes_on = !fields.empty() && fields.back().member + 1 == members.size() && members.back().type == type &&
                       fields.back().offset + fields.back().width + width <= bits;
  if (goes_on) {
    field.member = fields.back().member;
    field.offset = static_cast<uint8_t>(fields.back().offset + fields.back().width);
  } else {
    field.member = static_cast<uint32_t>(members.size());
    Member m;
    m.name = name;
    m.type = type;
    members.push_back(m);
    note_member(struct_type, type);
    if (facts_.members.size() <= id.value) facts_.members.resize(id.value + 1);
    facts_.members[id.value].resize(members.size());
    facts_.members[id.value].back().decl = declarator;
  }
  fields.push_back(field);
  struct_infos_[id.value].bits = true;
  return true;
}

void Checker::inherit_bit_fields(TypeId struct_type, TypeId base) {
  const std::span<const BitField> inherited = facts_.bit_fields_of(types_[base].struct_id);
  if (inherited.empty()) return;
  std::vector<BitField> fields(inherited.begin(), inherited.end());
  const auto offset = static_cast<uint32_t>(types_.struct_decl(struct_type).members.size());
  for (BitField& f : fields) f.member += offset;
  const uint32_t id = types_[struct_type].struct_id.value;
  if (facts_.bit_fields.size() <= id) facts_.bit_fields.resize(id + 1);
  std::vector<BitField>& own = facts_.bit_fields[id];
  own.insert(own.end(), fields.begin(), fields.end());
  if (struct_infos_.size() <= id) struct_infos_.resize(id + 1);
  struct_infos_[id].bits = true;
}

const BitField* Checker::find_bit_field(TypeId struct_type, NameId name) const {
  for (const BitField& b : facts_.bit_fields_of(types_[struct_type].struct_id)) {
    if (b.name == name) return &b;
  }
  return nullptr;
}

bool Checker::use_bit_field(NodeId n, TypeId struct_type, NameId name, uint8_t flags) {
  const BitField* b = find_bit_field(struct_type, name);
  if (b == nullptr) return false;
  set_type(n, types_.struct_decl(struct_type).members[b->member].type);
  set_ref(n, Ref::bit_field, b->member, static_cast<uint16_t>(b->offset << 8 | b->width));
  fact(n).flags |= flags;
  return true;
}

bool Checker::holds_bit_fields(TypeId t) const {
  while (types_.kind(t) == TypeKind::array) t = types_[t].element;
  return types_.kind(t) == TypeKind::struct_ && struct_info(t).bits;
}

// sizeof: members at multiples of their scalars' sizes, bool has four bytes, matrices are packed.
bool Checker::hlsl_size(TypeId t, uint64_t& size, uint64_t& align) const {
  const Type& type = types_[t];
  const auto scalar = [&] { return type.scalar == ScalarKind::bool_ ? 4u : scalar_bits(type.scalar) / 8; };
  switch (type.kind) {
    case TypeKind::scalar: size = align = scalar(); return size != 0;
    case TypeKind::vector:
      align = scalar();
      size = align * type.rows;
      return true;
    case TypeKind::matrix:
      align = scalar();
      size = align * type.rows * type.columns;
      return true;
    case TypeKind::array: {
      if (type.count == 0 || !hlsl_size(type.element, size, align)) return false;
      size *= type.count;
      return size <= 0xffffffffu;
    }
    case TypeKind::struct_: {
      uint64_t at = 0;
      align = 1;
      for (const Member& m : types_.struct_decl(t).members) {
        uint64_t one = 0, one_align = 1;
        if (!hlsl_size(m.type, one, one_align)) return false;
        at = (at + one_align - 1) / one_align * one_align + one;
        align = std::max(align, one_align);
        if (at > 0xffffffffu) return false;
      }
      size = (at + align - 1) / align * align;
      return true;
    }
    default: return false;
  }
}

void Checker::check_sizeof(NodeId n) {
  NodeId c = tree_.child(n, 0);
  while (tree_.is(c, NodeKind::paren)) c = tree_.child(c, 0);
  TypeId t;
  switch (tree_.kind(c)) {
    case NodeKind::builtin_type:
    case NodeKind::array_type:
    case NodeKind::template_ref:
    case NodeKind::qualified_type: t = check_type(c); break;
    case NodeKind::name:
    case NodeKind::scope: t = named_type(c, true); break;
    default: break;
  }
  if (!t) {
    check_expr(c);
    if (is_error(c)) return void(fail(n));
    t = settle(c);
  }
  uint64_t size = 0, align = 1;
  if (t == TypeId::error || !is_complete(t)) return void(fail(n));
  if (!hlsl_size(t, size, align)) {
    diags_.emit(range(n), diag::bad_type_use, type_text(t), "has no size");
    return void(fail(n));
  }
  set_type(n, TypeId::u32);
  set_value(n, types_.constant_u32(static_cast<uint32_t>(size)));
}

void Checker::hlsl_auto(NodeId n, const NodeList& parts, const Qualifiers& q) {
  for (uint32_t i = 2; i < parts.size(); ++i) {
    if (!tree_.is(parts[i], NodeKind::declarator)) continue;
    const NodeId init = tree_.child(parts[i], 2);
    TypeId type = TypeId::error;
    if (tree_.is_empty(init) || tree_.is(init, NodeKind::init_list) || tree_.is(init, NodeKind::state_block)) {
      diags_.emit(loc(parts[i]), diag::bad_type_use, "auto", "needs an initialiser that has a type");
    } else {
      check_expr(init);
      if (is_value(init)) type = settle(init);
    }
    checked_init_ = init;
    declare_variable(n, parts[i], type, q);
    checked_init_ = NodeId();
  }
}

}  // namespace carry::check
