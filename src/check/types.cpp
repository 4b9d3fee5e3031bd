// Types as written, arrays, structs, enums.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

TypeId Checker::builtin_type(NodeId n) {
  const std::string_view word = tree_.name_text(n);
  if (tree_.has_flag(n, kNodeUnsigned)) {
    const TypeId t = hlsl() ? hlsl_type_word(word) : TypeId::none();
    if (t && types_.is_numeric(t) && is_int(types_.scalar_of(t)))
      return types_.with_scalar(t, to_unsigned(types_.scalar_of(t)));
    return TypeId::u32;
  }
  const TypeId t = glsl() ? glsl_type_word(word) : hlsl_type_word(word);
  if (!t && glsl() && mode_.vulkan && word == "atomic_uint") {
    diags_.emit(loc(n), diag::bad_type_use, word, "does not exist for Vulkan: use `atomicAdd` on a `uint` in a buffer");
    return TypeId::error;
  }
  if (!t) {
    not_yet(n, "type `" + std::string(word) + "`");
    return TypeId::error;
  }
  if (glsl() && !glsl_needs(n, t)) return TypeId::error;
  return t;
}

TypeId Checker::check_type(NodeId n) {
  TypeId t = TypeId::error;
  switch (tree_.kind(n)) {
    case NodeKind::builtin_type: t = builtin_type(n); break;
    case NodeKind::name:
    case NodeKind::scope: t = named_type(n, false); break;
    case NodeKind::template_ref: t = hlsl_template_type(n); break;
    case NodeKind::array_type: {
      const auto [element, dims] = tree_.first_children<2>(n);
      t = apply_dims(check_type(element), dims, true);
      break;
    }
    case NodeKind::qualified_type: t = check_type(tree_.child(n, 1)); break;
    case NodeKind::struct_decl: t = written_struct(n); break;
    case NodeKind::enum_decl: t = check_enum(n); break;
    case NodeKind::empty:
    case NodeKind::error: break;  // reported by the parser
    default: diags_.emit(range(n), diag::not_a_type, source_text(n)); break;
  }
  fact(n).type = t;
  fact(n).ref = Ref::type_name;
  return t;
}

std::string Checker::source_text(NodeId n) const {
  const LocRange r = sources_.file_range(range(n));
  const SourceId file = sources_.file_of(r.begin);
  return std::string(sources_.text(file).substr(r.begin.offset - sources_.loc(file, 0).offset, r.end.offset - r.begin.offset));
}

/// `struct S x;` names an S that is known.
TypeId Checker::written_struct(NodeId n) {
  if (tree_.has_flag(n, kNodeForward)) {
    const Symbol* s = lookup(tree_.name(n));
    if (s != nullptr && s->kind == Symbol::Kind::type && types_.kind(TypeId(s->index)) == TypeKind::struct_)
      return TypeId(s->index);
  }
  return check_struct(n);
}

TypeId Checker::named_type(NodeId n, bool quiet) {
  const Symbol* s = tree_.is(n, NodeKind::scope) ? lookup_scope(n) : lookup(tree_.name(n));
  if (s != nullptr && s->kind == Symbol::Kind::type) return TypeId(s->index);
  if (s == nullptr && hlsl() && tree_.is(n, NodeKind::name)) {
    if (const TypeId t = hlsl_type_word(tree_.name_text(n))) return t;
  }
  if (quiet) return TypeId::none();
  if (s == nullptr) {
    if (!glsl() || !glsl_missing_name(n, tree_.name(n))) diags_.emit(loc(n), diag::undeclared_name, tree_.name_text(n));
  } else if (s->kind == Symbol::Kind::template_) {
    not_yet(n, "templates");
  } else {
    diags_.emit(range(n), diag::not_a_type, tree_.name_text(n));
  }
  return TypeId::error;
}

TypeId Checker::apply_dims(TypeId element, NodeId dims, bool allow_unsized) {
  NodeList list;
  tree_.children(dims, list);
  if (list.empty() || element == TypeId::error) return element;
  if (element == TypeId::void_) {
    diags_.emit(range(dims), diag::bad_type_use, "void", "cannot be the element of an array");
    return TypeId::error;
  }
  TypeId t = element;
  for (uint32_t i = list.size(); i-- > 0;) {
    if (tree_.is(list[i], NodeKind::error)) return TypeId::error;
    if (tree_.is_empty(list[i])) {
      if (!allow_unsized) {
        diags_.emit(range(dims), diag::bad_type_use, type_text(element), "needs a size for each dimension here");
        return TypeId::error;
      }
      t = types_.array(t, 0);
      continue;
    }
    uint32_t count = 0;
    uint32_t override_index = Id<TypeId>::kNone;
    if (!array_size(list[i], count, override_index)) return TypeId::error;
    t = override_index != Id<TypeId>::kNone ? types_.array_override(t, override_index) : types_.array(t, count);
  }
  if (nesting(t) > kMaxTypeNesting) {
    diags_.emit(range(dims), diag::bad_type_use, "array", "is nested too deeply");
    return TypeId::error;
  }
  return t;
}

bool Checker::array_size(NodeId expr, uint32_t& count, uint32_t& override_index) {
  check_expr(expr);
  if (is_error(expr)) return false;
  settle(expr);
  const TypeId t = facts_.result_type(expr);
  if (!types_.is_scalar(t) || !is_int(types_.scalar_of(t))) {
    diags_.emit(range(expr), diag::constant_needed, "size of an array of integer type");
    return false;
  }
  if (const ConstId v = value_of(expr)) {
    int64_t size = 0;
    if (!fold_.to_int(v, size) || size <= 0 || size > 0x40000000) {
      diags_.emit(range(expr), diag::bad_array_size, std::to_string(size));
      return false;
    }
    count = static_cast<uint32_t>(size);
    return true;
  }
  if (facts_.has(expr, kFactSpec)) {
    const NodeId core = strip_parens(expr);
    const VarId var = facts_.variable_of(core);
    if (var) {
      const ConstId by_default = facts_.variables[var].value;
      int64_t size = 0;
      if (by_default && fold_.to_int(by_default, size) && size <= 0) {
        diags_.emit(range(expr), diag::bad_array_size, std::to_string(size));
        return false;
      }
      const auto [it, fresh] = size_index_.emplace(var.value, static_cast<uint32_t>(facts_.array_sizes.size()));
      if (fresh) facts_.array_sizes.push_back(expr);
      override_index = it->second;
    } else {
      override_index = static_cast<uint32_t>(facts_.array_sizes.size());
      facts_.array_sizes.push_back(expr);
    }
    return true;
  }
  diags_.emit(range(expr), diag::constant_needed, "size of an array");
  return false;
}

bool Checker::is_complete(TypeId t) const {
  while (types_.kind(t) == TypeKind::array) t = types_[t].element;
  return types_.kind(t) != TypeKind::struct_ || incomplete_.count(types_[t].struct_id.value) == 0;
}

bool Checker::is_opaque(TypeId t) const {
  const TypeKind k = types_.kind(t);
  return types_.is_handle(t) || (k == TypeKind::object && !is_reference(t));
}

const StructInfo& Checker::struct_info(TypeId t) const {
  static constexpr StructInfo kNone;
  const uint32_t id = types_[t].struct_id.value;
  return id < struct_infos_.size() ? struct_infos_[id] : kNone;
}

uint32_t Checker::nesting(TypeId t) const {
  uint32_t depth = 0;
  for (; types_.kind(t) == TypeKind::array; t = types_[t].element) ++depth;
  return types_.kind(t) == TypeKind::struct_ ? depth + struct_info(t).depth : depth;
}

// What the members say is kept with the struct: a question about a type never walks a tree of structs.
void Checker::note_member(TypeId struct_type, TypeId member) {
  const uint32_t id = types_[struct_type].struct_id.value;
  StructInfo info = struct_info(struct_type);
  info.depth = std::max(info.depth, nesting(member) + 1);
  info.opaque = info.opaque || contains_opaque(member);
  info.bits = info.bits || holds_bit_fields(member);
  TypeId core = member;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  info.leaves = info.leaves || types_.kind(core) != TypeKind::struct_ || struct_info(core).leaves;
  if (struct_infos_.size() <= id) struct_infos_.resize(id + 1);
  struct_infos_[id] = info;
}

bool Checker::contains_opaque(TypeId t) const {
  while (types_.kind(t) == TypeKind::array || types_.kind(t) == TypeKind::bindings) t = types_[t].element;
  return types_.kind(t) == TypeKind::struct_ ? struct_info(t).opaque : is_opaque(t);
}

bool Checker::holds_nothing(TypeId t) const {
  const Type& type = types_[t];
  if (type.kind == TypeKind::array) return holds_nothing(type.element);
  if (type.kind != TypeKind::struct_) return false;
  const std::vector<Member>& members = types_.struct_decl(t).members;
  return std::all_of(members.begin(), members.end(), [this](const Member& m) { return holds_nothing(m.type); });
}

bool Checker::has_unsized(TypeId t) const {
  const Type& type = types_[t];
  if (type.kind == TypeKind::array)
    return (type.count == 0 && type.count_override == Id<TypeId>::kNone) || has_unsized(type.element);
  if (type.kind == TypeKind::struct_) {
    const std::vector<Member>& members = types_.struct_decl(t).members;
    return !members.empty() && has_unsized(members.back().type);
  }
  return false;
}

TypeId Checker::element_type(TypeId t) {
  const Type& type = types_[t];
  switch (type.kind) {
    case TypeKind::vector: return types_.scalar(type.scalar);
    case TypeKind::matrix: return types_.vector(type.scalar, type.rows);
    case TypeKind::array:
    case TypeKind::bindings: return type.element;
    default: return TypeId::none();
  }
}

TypeId Checker::check_struct(NodeId n) {
  const bool named = !tree_.has_flag(n, kNodeUnnamed);
  const NameId name = named ? tree_.name(n) : NameId(0u);
  if (static_cast<StructKind>(tree_[n].op) == StructKind::interface_ ||
      static_cast<StructKind>(tree_[n].op) == StructKind::union_) {
    not_yet(n, "interfaces and unions");
    return TypeId::error;
  }
  TypeId type;

  const Symbol* known = named ? (scopes_.in_local() ? scopes_.find_innermost(name) : scopes_.find_in(space_, name)) : nullptr;
  const bool known_struct =
      known != nullptr && known->kind == Symbol::Kind::type && types_.kind(TypeId(known->index)) == TypeKind::struct_;
  if (known_struct && tree_.has_flag(n, kNodeForward)) return TypeId(known->index);
  if (known_struct && types_.struct_decl(TypeId(known->index)).members.empty() && known->decl &&
      tree_.has_flag(known->decl, kNodeForward)) {
    type = TypeId(known->index);
  } else {
    type = types_.make_struct(name, {});
    if (named) declare(name, {Symbol::Kind::type, type.value, n}, n);
  }
  if (tree_.has_flag(n, kNodeForward)) {
    if (known == nullptr || TypeId(known->index) != type) incomplete_.insert(types_[type].struct_id.value);
    return type;
  }
  incomplete_.insert(types_[type].struct_id.value);
  const SpaceId inner = scopes_.make_space(space_, name);
  type_spaces_[types_[type].struct_id.value] = inner;
  NodeList children;
  tree_.children(n, children);
  NodeList bases;
  tree_.children(children[1], bases);
  for (NodeId b : bases) {
    const TypeId base = check_type(b);
    if (base == TypeId::error || types_.kind(base) != TypeKind::struct_ || !is_complete(base)) continue;
    const std::vector<Member> inherited = types_.struct_decl(base).members;
    inherit_bit_fields(type, base);
    inherit_member_infos(type, base);
    for (const Member& m : inherited) {
      types_.struct_decl(type).members.push_back(m);
      note_member(type, m.type);
    }
    scopes_.use_space(inner, type_spaces_[types_[base].struct_id.value]);
  }
  std::vector<NodeId> methods;
  fill_struct_members(n, type, &methods, false, nullptr);
  incomplete_.erase(types_[type].struct_id.value);
  if (glsl() && types_.struct_decl(type).members.empty()) {
    diags_.emit(range(n), diag::bad_type_use, text(name), "has no members");
  }
  const SpaceId outer = space_;
  space_ = inner;
  const TypeId outer_this = this_type_;
  this_type_ = type;
  std::vector<FuncId> bodies;
  for (NodeId m : methods) {
    if (const FuncId f = declare_function(m, type)) bodies.push_back(f);
  }
  for (FuncId f : bodies) check_body(f);
  this_type_ = outer_this;
  space_ = outer;
  return type;
}

TypeId Checker::check_enum(NodeId n) {
  const bool named = !tree_.has_flag(n, kNodeUnnamed);
  NodeList children;
  tree_.children(n, children);
  TypeId type = TypeId::i32;
  if (!tree_.is_empty(children[0])) type = check_type(children[0]);
  if (type == TypeId::error || !types_.is_scalar(type) || !is_int(types_.scalar_of(type))) type = TypeId::i32;
  const SpaceId outer = space_;
  const bool scoped = tree_.has_flag(n, kNodeEnumClass);
  const SpaceId inner = scopes_.make_space(space_, named ? tree_.name(n) : NameId(0u));
  if (named) {
    declare(tree_.name(n), {Symbol::Kind::type, type.value, n}, n);
    enums_[n.value] = inner;
  }
  if (scoped) space_ = inner;  // an enumerator sees those before it
  int64_t next = 0;
  for (uint32_t i = 1; i < children.size(); ++i) {
    const NodeId e = children[i];
    if (!tree_.is(e, NodeKind::enumerator)) continue;
    const NodeId init = tree_.child(e, 0);
    if (!tree_.is_empty(init)) {
      check_expr(init);
      if (!is_error(init) && coerce(init, type, "an enumerator")) {
        if (!value_of(init) || !fold_.to_int(value_of(init), next))
          diags_.emit(range(init), diag::constant_needed, "value of an enumerator");
      }
    }
    Variable v;
    v.kind = VarKind::constant;
    v.name = tree_.name(e);
    v.type = type;
    v.flags = kVarConst;
    v.decl = e;
    v.value = types_.constant_bits(type, static_cast<uint64_t>(next));
    const VarId id = facts_.variables.add(v);
    set_ref(e, Ref::variable, id.value);
    const Symbol s{Symbol::Kind::variable, id.value, e};
    scopes_.declare_in(inner, v.name, s);
    if (!scoped) declare(v.name, s, e);
    ++next;
  }
  space_ = outer;
  return type;
}

}  // namespace carry::check
