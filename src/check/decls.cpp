// Declarations of variables and types; initialisers.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

void Checker::check_decls(NodeId parent) {
  NodeList children;
  tree_.children(parent, children);
  for (NodeId c : children) {
    if (diags_.at_limit()) return;
    check_decl(c);
  }
}

void Checker::check_decl(NodeId n) {
  enter(n);
  switch (tree_.kind(n)) {
    case NodeKind::var_decl: check_var_decl(n); break;
    case NodeKind::function_decl: check_function(n); break;
    case NodeKind::struct_decl: check_struct(n); break;
    case NodeKind::enum_decl: check_enum(n); break;
    case NodeKind::interface_block: glsl_block(n); break;
    case NodeKind::qualifier_decl: glsl_qualifier_decl(n); break;
    case NodeKind::precision_decl: glsl_precision(n); break;
    case NodeKind::typedef_decl: check_typedef(n); break;
    case NodeKind::using_alias: {
      const TypeId t = check_type(tree_.child(n, 0));
      declare(tree_.name(n), {Symbol::Kind::type, t.value, n}, n);
      break;
    }
    case NodeKind::buffer_block: hlsl_buffer_block(n); break;
    case NodeKind::namespace_decl: hlsl_namespace(n); break;
    case NodeKind::using_namespace: {
      const NodeId name = tree_.child(n, 0);
      const Symbol* s = tree_.is(name, NodeKind::scope) ? lookup_scope(name) : lookup(tree_.name(name));
      if (tree_.has_flag(n, kNodeForward)) {
        if (s == nullptr)
          diags_.emit(loc(name), diag::undeclared_name, tree_.name_text(name));
        else
          declare(tree_.is(name, NodeKind::scope) ? tree_.name(tree_.child(name, 1)) : tree_.name(name), *s, n);
      } else if (s == nullptr || s->kind != Symbol::Kind::name_space) {
        diags_.emit(loc(name), diag::undeclared_name, tree_.name_text(name));
      } else {
        scopes_.use_space(space_, s->index);
      }
      break;
    }
    case NodeKind::template_decl: {
      const NodeId d = tree_.child(n, 1);
      if (!tree_.is(d, NodeKind::error)) declare(tree_.name(d), {Symbol::Kind::template_, 0, d}, d);
      not_yet(n, "templates");
      break;
    }
    case NodeKind::static_assert_decl: {
      const NodeId e = tree_.child(n, 0);
      check_expr(e);
      if (is_value(e) && hlsl()) convert(e, TypeId::bool_);
      if (!is_error(e) && value_of(e) && types_.is_zero(value_of(e))) diags_.emit(range(e), diag::static_assert_failed, "");
      break;
    }
    default: break;
  }
}

bool Checker::declare(NameId name, Symbol symbol, NodeId at) {
  if (!name || text(name).empty()) return true;
  const Symbol* old = scopes_.in_local() ? scopes_.find_innermost(name) : scopes_.find_in(space_, name);
  // A variable of HLSL hides a struct of its name: `ConstantBuffer<Scene> Scene;`.
  const bool hides = old != nullptr && hlsl() && symbol.kind == Symbol::Kind::variable && old->kind == Symbol::Kind::type &&
                     old->decl && tree_.is(old->decl, NodeKind::struct_decl);
  if (old != nullptr && old->kind != Symbol::Kind::none && !hides) {
    auto d = diags_.emit(loc(at), diag::redeclared, text(name));
    if (old->decl) d.note(loc(old->decl), diag::declared_here, text(name));
    return false;
  }
  if (scopes_.in_local())
    scopes_.declare_local(name, symbol);
  else
    scopes_.declare_in(space_, name, symbol);
  return true;
}

VarId Checker::add_variable(Variable v, NodeId at) {
  const NameId name = v.name;
  v.function = function_;
  const VarId id = facts_.variables.add(std::move(v));
  declare(name, {Symbol::Kind::variable, id.value, at}, at);
  set_ref(at, Ref::variable, id.value);
  return id;
}

void Checker::check_typedef(NodeId n) {
  NodeList children;
  tree_.children(n, children);
  const TypeId base = check_type(children[1]);
  if (hlsl() && types_.kind(base) == TypeKind::matrix) {
    const Majorness major = read_qualifiers(children[0]).major;
    const bool differs = major != Majorness::by_default && (major == Majorness::row) != options_.row_major_default;
    if (differs) not_yet(n, "a name for matrices whose order differs from that of the source's others");
  }
  for (uint32_t i = 2; i < children.size(); ++i) {
    if (!tree_.is(children[i], NodeKind::declarator)) continue;
    const TypeId t = apply_dims(base, tree_.child(children[i], 0), false);
    declare(tree_.name(children[i]), {Symbol::Kind::type, t.value, children[i]}, children[i]);
  }
}

void Checker::check_var_decl(NodeId n) {
  NodeList children;
  tree_.children(n, children);
  const Qualifiers q = read_qualifiers(children[0]);
  if (hlsl() && tree_.is(children[1], NodeKind::builtin_type) && tree_.name_text(children[1]) == "auto")
    return hlsl_auto(n, children, q);
  const TypeId base = check_type(children[1]);
  if (children.size() > 2 && base != TypeId::error) check_places(q, variable_place(children[2]));
  for (uint32_t i = 2; i < children.size(); ++i) {
    if (!tree_.is(children[i], NodeKind::declarator)) continue;
    if (tree_.has_flag(children[i], kNodeScoped))
      define_member(children[i], base);
    else
      declare_variable(n, children[i], base, q);
  }
}

LayoutPlace Checker::variable_place(NodeId declarator) const {
  if (scopes_.in_local()) return LayoutPlace::local;
  const bool builtin =
      glsl() && tree_.is(declarator, NodeKind::declarator) && tree_.name_text(declarator).substr(0, 3) == "gl_";
  return builtin ? LayoutPlace::builtin : LayoutPlace::variable;
}

/// What stands where it says nothing: an error in GLSL, a warning in HLSL.
void Checker::check_places(const Qualifiers& q, LayoutPlace place, const Qualifiers* block) {
  if (glsl())
    glsl_check_layouts(q, place, block);
  else
    hlsl_check_attributes(q, place);
}

// HLSL: `int S::x = 1;` for a static member of S.
void Checker::define_member(NodeId declarator, TypeId base) {
  NodeList c;
  tree_.children(declarator, c);
  const Symbol* owner = tree_.is(c[3], NodeKind::scope) ? lookup_scope(c[3]) : lookup(tree_.name(c[3]));
  if (owner == nullptr || owner->kind != Symbol::Kind::type || types_.kind(TypeId(owner->index)) != TypeKind::struct_) {
    diags_.emit(range(c[3]), diag::not_a_type, tree_.name_text(c[3]));
    return;
  }
  const TypeId type(owner->index);
  const SpaceId inner = type_spaces_[types_[type].struct_id.value];
  const Symbol* s = scopes_.find_in(inner, tree_.name(declarator));
  if (s == nullptr || s->kind != Symbol::Kind::variable || !function_.is_none()) {
    diags_.emit(loc(declarator), diag::no_member, type_text(type), tree_.name_text(declarator));
    return;
  }
  const VarId id(s->index);
  const TypeId declared = apply_dims(base, c[0], true);
  if (declared != facts_.variables[id].type && declared != TypeId::error) {
    diags_.emit(loc(declarator), diag::redeclared, tree_.name_text(declarator))
        .note(loc(facts_.variables[id].decl), diag::declared_here, tree_.name_text(declarator));
    return;
  }
  set_ref(declarator, Ref::variable, id.value);
  if (tree_.is_empty(c[2])) return;
  if (facts_.variables[id].init) {
    diags_.emit(loc(declarator), diag::bad_initialiser, tree_.name_text(declarator), "stands twice");
    return;
  }
  const SpaceId outer = space_;
  space_ = inner;
  Variable v = facts_.variables[id];
  check_initialiser(v, c[2]);
  space_ = outer;
  facts_.variables[id] = v;
  // Initialisers run in the order of the definitions.
  std::vector<VarId>& globals = facts_.globals;
  globals.erase(std::remove(globals.begin(), globals.end(), id), globals.end());
  globals.push_back(id);
}

// const: a constant if its value is known, else a variable that nobody writes.
void Checker::settle_const(Variable& v, bool has_init, NodeId at) {
  if ((v.flags & kVarConst) == 0) return;
  if (!has_init) {
    if (glsl() || v.kind == VarKind::local || v.constant_id != Id<TypeId>::kNone)
      diags_.emit(loc(at), diag::missing_initialiser, text(v.name));
    return;
  }
  const NodeId init = v.init;
  if (!init || is_error(init)) return;
  if (v.constant_id != Id<TypeId>::kNone) {
    v.kind = VarKind::spec_constant;
    v.value = value_of(init);
    if (!v.value) diags_.emit(range(init), diag::constant_needed, "default of a specialization constant");
    return;
  }
  if (value_of(init)) {
    v.kind = VarKind::constant;
    v.value = value_of(init);
  } else {
    v.owner = VarId();
    if (v.kind == VarKind::private_ || v.kind == VarKind::local) v.kind = VarKind::const_variable;
    if (facts_.has(init, kFactSpec)) v.flags |= kVarSpecValue;
  }
}

void Checker::declare_variable(NodeId decl, NodeId declarator, TypeId base, const Qualifiers& q) {
  const auto [dims, annotations, init] = tree_.first_children<3>(declarator);
  const bool has_init = !tree_.is_empty(init) && !tree_.is(init, NodeKind::state_block);
  Variable v;
  v.name = tree_.name(declarator);
  v.decl = declarator;
  v.flags = q.flags;
  v.type = apply_dims(base, dims, true);
  if (v.type != TypeId::error && !is_complete(v.type)) {
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(v.type), "is not complete here");
    v.type = TypeId::error;
  }
  const bool global = !scopes_.in_local();
  if (v.type == TypeId::void_) {
    diags_.emit(loc(declarator), diag::bad_type_use, "void", "cannot be the type of a variable");
    v.type = TypeId::error;
  }
  if (q.major != Majorness::by_default && hlsl()) v.flags |= q.major == Majorness::row ? kVarRowMajorDefault : 0u;
  v.set = q.set;
  v.binding = q.binding;
  v.location = q.location;
  v.component = q.component;
  v.index = q.index;
  v.offset = q.offset;
  v.constant_id = q.constant_id;
  v.input_attachment = q.input_attachment;
  v.counter_binding = q.counter_binding;
  if (glsl() && text(v.name).substr(0, 3) == "gl_" && global) return glsl_redeclare(v, declarator, q);
  v.kind = global ? VarKind::private_ : VarKind::local;
  if (v.type != TypeId::error) {
    if (glsl())
      glsl_variable(v, declarator, q);
    else
      hlsl_variable(v, declarator, q, annotations);
  }
  if (!has_init && v.type != TypeId::error && glsl_size_again(v, declarator)) return;
  if (has_init && v.kind == VarKind::shared)
    shared_initialiser(v, init);
  else if (has_init)
    check_initialiser(v, init);
  if (v.kind == VarKind::private_ || v.kind == VarKind::local || v.constant_id != Id<TypeId>::kNone)
    settle_const(v, has_init, declarator);
  const bool size_later = v.type != TypeId::error && may_size_later(v) && !has_unsized(types_[v.type].element);
  if (v.type != TypeId::error && has_unsized(v.type) && types_.kind(v.type) == TypeKind::array && v.kind != VarKind::handle &&
      v.kind != VarKind::storage_object && v.kind != VarKind::uniform_block && v.kind != VarKind::block_member && !size_later) {
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(v.type), "needs a size here");
    v.type = TypeId::error;
  }
  const bool module_level = global || v.kind == VarKind::private_ || v.kind == VarKind::shared;
  const bool is_member = v.kind == VarKind::block_member;
  const VarId id = add_variable(std::move(v), declarator);
  Variable& stored = facts_.variables[id];
  if (module_level && !is_member) facts_.globals.push_back(id);
  mark_precise(stored);
  if (size_later) add_unsized_variable(id, declarator);
  static_cast<void>(decl);
}

void Checker::check_initialiser(Variable& v, NodeId init) {
  v.init = init;
  if (tree_.is(init, NodeKind::init_list)) {
    if (glsl() && (mode_.is_es() || mode_.glsl_version < 420) && !has_ext("GL_ARB_shading_language_420pack")) {
      Need need{.version = 420, .extension = "GL_ARB_shading_language_420pack"};
      if (mode_.is_es()) need = {.other = "desktop GLSL"};
      missing(range(init), "initialiser list", need);
    }
    check_init_list(init, v.type);
    if (is_error(init)) return;
    if (types_.kind(v.type) == TypeKind::array && has_unsized(v.type)) v.type = type_of(init);
    return;
  }
  if (init != checked_init_) check_expr(init);
  if (v.type == TypeId::error || !is_value(init)) return;
  const TypeId from = facts_.result_type(init);
  if (types_.kind(v.type) == TypeKind::array && has_unsized(v.type) && types_.kind(from) == TypeKind::array) v.type = from;
  if (coerce(init, v.type, "an initialiser") && v.kind != VarKind::local && v.kind != VarKind::private_ &&
      v.kind != VarKind::block_member && v.kind != VarKind::stage_out && v.kind != VarKind::shared &&
      v.kind != VarKind::uniform_plain) {
    diags_.emit(range(init), diag::bad_initialiser, text(v.name), "is not allowed");
  }
}

// GL_EXT_null_initializer: `shared int a[4] = {};` and no other.
void Checker::shared_initialiser(Variable& v, NodeId init) {
  if (hlsl()) {
    diags_.emit(range(init), diag::groupshared_initialiser, text(v.name));
    return;
  }
  NodeList items;
  tree_.children(init, items);
  if (!tree_.is(init, NodeKind::init_list) || !items.empty()) {
    diags_.emit(range(init), diag::bad_initialiser, text(v.name), "is shared and can start as `{}` only");
    return;
  }
  if (!needs_extension(init, "initialiser of a shared variable", "GL_EXT_null_initializer") || v.type == TypeId::error) return;
  check_init_list(init, v.type);
  if (!is_error(init)) v.init = init;
}

// precise and invariant objects: what is assigned to them is computed without contraction.
void Checker::mark_precise(const Variable& v) {
  if ((v.flags & (kVarPrecise | kVarInvariant)) != 0 && v.init) mark_precise_subtree(v.init);
}

void Checker::mark_precise_subtree(NodeId n) {
  for (uint32_t i = tree_.first_in_subtree(n).value; i <= n.value; ++i) facts_.nodes[i].flags |= kFactPrecise;
}

}  // namespace carry::check
