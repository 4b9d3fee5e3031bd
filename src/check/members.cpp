// Members of structs and blocks.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

MemberInfo Checker::member_info(const Qualifiers& q, NodeId decl) const {
  MemberInfo m;
  m.builtin = q.vk_builtin;
  m.location = q.location;
  m.component = q.component;
  m.index = q.index;
  m.flags = q.flags;
  m.decl = decl;
  return m;
}

/// What is said of the members of a base holds for those of the struct that begins with them.
void Checker::inherit_member_infos(TypeId struct_type, TypeId base) {
  const uint32_t sid = types_[struct_type].struct_id.value, from = types_[base].struct_id.value;
  if (facts_.members.size() <= std::max(sid, from)) facts_.members.resize(std::max(sid, from) + 1);
  const std::vector<MemberInfo> infos = facts_.members[from];
  std::vector<MemberInfo>& all = facts_.members[sid];
  all.resize(types_.struct_decl(struct_type).members.size());
  all.insert(all.end(), infos.begin(), infos.end());
}

void Checker::fill_struct_members(NodeId list, TypeId struct_type, std::vector<NodeId>* methods, bool block,
                                  const Qualifiers* outer) {
  const uint32_t sid = types_[struct_type].struct_id.value;
  if (facts_.members.size() <= sid) facts_.members.resize(sid + 1);
  facts_.members[sid].resize(types_.struct_decl(struct_type).members.size());
  NodeList children;
  tree_.children(list, children);
  const SpaceId outer_space = space_;
  if (methods != nullptr) space_ = type_spaces_[sid];
  for (NodeId c : children) {
    if (tree_.is(c, NodeKind::function_decl) && methods != nullptr) {
      methods->push_back(c);
      continue;
    }
    if (!tree_.is(c, NodeKind::var_decl)) {
      const NodeKind k = tree_.kind(c);
      if (methods != nullptr &&
          (k == NodeKind::struct_decl || k == NodeKind::enum_decl || k == NodeKind::typedef_decl || k == NodeKind::using_alias))
        check_decl(c);
      else if (k == NodeKind::template_decl)
        not_yet(c, "templates");
      continue;
    }
    NodeList parts;
    tree_.children(c, parts);
    const Qualifiers q = read_qualifiers(parts[0]);
    check_places(q, block ? LayoutPlace::block_member : LayoutPlace::struct_member, outer);
    if (methods != nullptr && hlsl() && q.has(QualifierKind::static_)) {
      static_members(c, parts, q);
      continue;
    }
    const TypeId base = check_type(parts[1]);
    for (uint32_t i = 2; i < parts.size(); ++i) {
      if (tree_.is(parts[i], NodeKind::declarator)) add_member(struct_type, parts[i], base, q, block, outer);
    }
  }
  space_ = outer_space;
}

void Checker::static_members(NodeId decl, const NodeList& parts, const Qualifiers& q) {
  const TypeId base = check_type(parts[1]);
  for (uint32_t i = 2; i < parts.size(); ++i) {
    if (!tree_.is(parts[i], NodeKind::declarator)) continue;
    declare_variable(decl, parts[i], base, q);
  }
}

void Checker::add_member(TypeId struct_type, NodeId declarator, TypeId base, const Qualifiers& q, bool block,
                         const Qualifiers* outer) {
  const auto [dims, annotations, init] = tree_.first_children<3>(declarator);
  Member m;
  m.name = tree_.name(declarator);
  m.type = apply_dims(base, dims, block && glsl());
  m.major = q.major;
  if (m.major == Majorness::by_default && outer != nullptr) m.major = outer->major;
  m.offset = q.offset;
  m.align = q.align != 0 ? q.align : outer != nullptr ? outer->align : 0;
  if (types_.kind(m.type) == TypeKind::array && has_unsized(types_[m.type].element)) {
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(m.type), "needs a size for each dimension but the first");
    m.type = TypeId::error;
  }
  if (m.type == TypeId::void_) {
    diags_.emit(loc(declarator), diag::bad_type_use, "void", "cannot be the type of a member");
    m.type = TypeId::error;
  }
  MemberInfo info = member_info(q, declarator);
  if (hlsl()) {
    Variable v;
    v.type = m.type;
    hlsl_annotations(v, annotations);
    info.semantic = v.semantic;
    info.semantic_index = v.semantic_index;
    if (v.builtin != BuiltinVar::none) info.builtin = v.builtin;
    if (v.offset != Id<TypeId>::kNone) m.offset = v.offset;
  }
  if (outer != nullptr)
    info.flags |= outer->flags & (kVarReadonly | kVarWriteonly | kVarCoherent | kVarVolatile | kVarRestrict | kVarFlat |
                                  kVarNoPerspective | kVarCentroid | kVarSample | kVarPatch | kVarInvariant);
  info.flags |= default_precision(m.type, q, declarator);
  if (hlsl() && hlsl_bit_field(struct_type, declarator, m.type, annotations)) return;
  StructDecl& s = types_.struct_decl(struct_type);
  for (const Member& old : s.members) {
    if (old.name == m.name) {
      diags_.emit(loc(declarator), diag::redeclared, text(m.name));
      return;
    }
  }
  if (!block && glsl() && m.type != TypeId::error && has_unsized(m.type)) {
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(m.type), "needs a size here");
    m.type = TypeId::error;
  }
  if (!tree_.is_empty(init) && !tree_.is(init, NodeKind::state_block)) not_yet(init, "initialisers of members");
  if (!is_complete(m.type)) {
    const bool itself = m.type == struct_type;
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(m.type),
                itself ? "cannot contain itself" : "is not complete here");
    m.type = TypeId::error;
  }
  if (types_.kind(m.type) == TypeKind::array && holds_nothing(m.type)) {
    not_yet(declarator, "arrays of structs without members in a struct");
    m.type = TypeId::error;
  }
  if (nesting(m.type) >= kMaxTypeNesting) {
    diags_.emit(loc(declarator), diag::bad_type_use, text(m.name), "is nested too deeply");
    m.type = TypeId::error;
  }
  note_member(struct_type, m.type);
  const uint32_t sid = types_[struct_type].struct_id.value;
  if (facts_.members.size() <= sid) facts_.members.resize(sid + 1);
  s.members.push_back(m);
  std::vector<MemberInfo>& infos = facts_.members[sid];
  infos.resize(s.members.size() - 1);
  infos.push_back(info);
}

}  // namespace carry::check
