// Arrays without a size (GLSL 4.60, 4.1.9): indexed with constants, they get the largest index plus one; a later declaration of
// the same name may give the size. Uses before that were typed without a size: they get the type at the end.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

bool Checker::may_size_later(const Variable& v) const {
  const bool kind = v.kind == VarKind::private_ || v.kind == VarKind::local || v.kind == VarKind::shared ||
                    v.kind == VarKind::stage_in || v.kind == VarKind::stage_out;
  return glsl() && !mode_.is_es() && kind && (v.flags & kVarConst) == 0 && is_unsized_array(v.type);
}

bool Checker::is_unsized_array(TypeId t) const {
  const Type& type = types_[t];
  return type.kind == TypeKind::array && type.count == 0 && type.count_override == Id<TypeId>::kNone;
}

void Checker::add_unsized_member(TypeId block, uint32_t member, NodeId decl) {
  ImplicitArray a;
  a.block = block;
  a.member = member;
  a.decl = decl;
  implicit_arrays_.push_back(a);
}

void Checker::add_unsized_variable(VarId id, NodeId decl) {
  ImplicitArray a;
  a.variable = id;
  a.decl = decl;
  implicit_arrays_.push_back(a);
}

Checker::ImplicitArray* Checker::implicit_array(NodeId object) {
  if (implicit_arrays_.empty()) return nullptr;
  const NodeId n = strip_parens(object);
  const NodeFact& f = fact(n);
  VarId id;
  TypeId block;
  uint32_t member = 0;
  if (f.ref == Ref::variable) {
    id = VarId(f.index);
    const Variable& v = facts_.variables[id];
    if (v.kind == VarKind::block_member) {
      block = facts_.variables[v.owner].type;
      member = v.member;
      id = VarId();
    }
  } else if (f.ref == Ref::member && tree_.is(n, NodeKind::member)) {
    block = facts_.result_type(tree_.child(n, 0));
    if (is_reference(block)) block = types_[block].element;
    member = f.index;
  } else {
    return nullptr;
  }
  for (ImplicitArray& a : implicit_arrays_) {
    if (id ? a.variable == id : !a.variable && a.block == block && a.member == member) return &a;
  }
  return nullptr;
}

/// An index of such an array: false after an error.
bool Checker::index_unsized(NodeId object, NodeId index) {
  ImplicitArray* a = implicit_array(object);
  if (a == nullptr || !is_unsized_array(type_of(object))) return true;
  int64_t i = 0;
  if (!value_of(index) || !fold_.to_int(value_of(index), i)) {
    diags_.emit(range(index), diag::bad_type_use, type_text(type_of(object)),
                "needs a size before it is indexed with a variable");
    return false;
  }
  constexpr int64_t kMost = 0x40000000;
  if (i < 0 || i >= kMost || (a->most != 0 && i >= a->most)) {
    diags_.emit(range(index), diag::index_out_of_range, std::to_string(i), type_text(type_of(object)));
    return false;
  }
  a->size = std::max(a->size, static_cast<uint32_t>(i) + 1);
  sized_uses_.insert(strip_parens(object).value);
  return true;
}

/// The name again, with or without a size. False: this is no such declaration.
bool Checker::glsl_size_again(const Variable& v, NodeId declarator) {
  const Symbol* s = scopes_.in_local() ? scopes_.find_innermost(v.name) : scopes_.find_in(space_, v.name);
  if (s == nullptr || s->kind != Symbol::Kind::variable || types_.kind(v.type) != TypeKind::array) return false;
  const VarId id(s->index);
  Variable& old = facts_.variables[id];
  if (!is_unsized_array(old.type) || old.kind != v.kind || types_[old.type].element != types_[v.type].element) return false;
  for (const ImplicitArray& a : implicit_arrays_) {
    if (a.variable != id) continue;
    set_ref(declarator, Ref::variable, id.value);
    give_size(old, a, v.type, declarator);
    return true;
  }
  return false;
}

void Checker::give_size(Variable& v, const ImplicitArray& a, TypeId type, NodeId at) {
  if (is_unsized_array(type)) return;
  if (types_[type].count != 0 && types_[type].count < a.size) {
    diags_.emit(loc(at), diag::index_out_of_range, std::to_string(a.size - 1), type_text(type));
    return;
  }
  v.type = type;
}

TypeId Checker::sized(TypeId unsized, uint32_t count) { return types_.array(types_[unsized].element, std::max(1u, count)); }

void Checker::glsl_finish_arrays() {
  if (implicit_arrays_.empty()) return;
  for (const ImplicitArray& a : implicit_arrays_) {
    if (a.variable) {
      Variable& v = facts_.variables[a.variable];
      if (is_unsized_array(v.type)) v.type = sized(v.type, a.size);
      continue;
    }
    Member& m = types_.struct_decl(a.block).members[a.member];
    if (is_unsized_array(m.type)) m.type = sized(m.type, a.size);
  }
  for (VarId id : facts_.variables.ids()) {
    Variable& v = facts_.variables[id];
    if (v.kind != VarKind::block_member || !is_unsized_array(v.type)) continue;
    v.type = types_.struct_decl(core_type(facts_.variables[v.owner].type)).members[v.member].type;
  }
  if (diags_.has_errors()) return;
  for (uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId n(i);
    if (!type_of(n) || !is_unsized_array(type_of(n))) continue;
    if (tree_.is(n, NodeKind::paren)) {
      set_type(n, type_of(tree_.child(n, 0)));
      continue;
    }
    if (!tree_.is(n, NodeKind::name) && !tree_.is(n, NodeKind::member)) continue;
    const ImplicitArray* a = implicit_array(n);
    if (a == nullptr) continue;
    if (sized_uses_.count(i) == 0) {
      diags_.emit(range(n), diag::bad_type_use, type_text(type_of(n)), "needs a size before it is used as a whole");
      continue;
    }
    set_type(n, a->variable ? facts_.variables[a->variable].type : types_.struct_decl(a->block).members[a->member].type);
  }
}

}  // namespace carry::check
