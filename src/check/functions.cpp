// Functions: declaration, bodies, call order.
#include "check/checker.h"

namespace carry::check {

FuncId Checker::find_same(const std::vector<FuncId>& set, const Function& f) const {
  for (FuncId id : set) {
    const Function& g = facts_.functions[id];
    if (g.params.size() != f.params.size()) continue;
    bool same = true;
    for (size_t i = 0; i < f.params.size() && same; ++i) same = g.params[i].type == f.params[i].type;
    if (same) return id;
  }
  return FuncId();
}

void Checker::read_params(NodeId list, Function& f) {
  NodeList params;
  tree_.children(list, params);
  for (NodeId p : params) {
    if (!tree_.is(p, NodeKind::param)) continue;
    NodeList c;
    tree_.children(p, c);
    const Qualifiers q = read_qualifiers(c[0]);
    check_places(q, LayoutPlace::parameter);
    Parameter param;
    param.type = apply_dims(check_type(c[1]), c[2], hlsl());
    if (glsl() && types_.kind(param.type) == TypeKind::image) {
      Type image = types_[param.type];
      if (q.has(QualifierKind::readonly)) image.access = Access::read;
      if (q.has(QualifierKind::writeonly)) image.access = Access::write;
      if (q.has_format) image.format = q.format;
      param.type = types_.intern(image);
    }
    if (param.type == TypeId::void_) {
      diags_.emit(range(p), diag::bad_type_use, "void", "cannot be the type of a parameter");
      param.type = TypeId::error;
    }
    const bool in = q.has(QualifierKind::in);
    const bool out = q.has(QualifierKind::out);
    param.mode = q.has(QualifierKind::inout) || (in && out) ? ParamMode::inout : out ? ParamMode::out : ParamMode::in;
    if (glsl() && param.mode != ParamMode::in && contains_opaque(param.type)) {
      diags_.emit(range(p), diag::bad_type_use, type_text(param.type), "cannot be an output parameter");
    }
    Variable v;
    v.kind = VarKind::param;
    v.name = tree_.has_flag(p, kNodeUnnamed) ? NameId(0u) : tree_.name(p);
    v.type = param.type;
    v.flags = q.flags | default_precision(param.type, q, p);
    v.decl = p;
    v.location = q.location;
    v.index = q.index;
    v.builtin = q.vk_builtin;
    if (hlsl()) hlsl_annotations(v, c[3]);
    if (hlsl() && (v.flags & kVarCoherent) != 0) not_yet(p, "globallycoherent on a parameter");
    if (!tree_.is_empty(c[4])) {
      param.default_value = c[4];
      check_expr(c[4]);
      coerce(c[4], param.type, "a default argument");
    }
    param.var = facts_.variables.add(std::move(v));
    set_ref(p, Ref::variable, param.var.value);
    f.params.push_back(param);
  }
}

FuncId Checker::declare_function(NodeId n, TypeId owner) {
  NodeList c;
  tree_.children(n, c);
  const Qualifiers q = read_qualifiers(c[0], true);
  check_places(q, LayoutPlace::function);
  Function f;
  f.result_location = q.location;
  f.result_index = q.index;
  f.decl = n;
  const SpaceId outer_space = space_;
  const TypeId outer_this = this_type_;
  if (!tree_.is_empty(c[2])) {
    const Symbol* s = tree_.is(c[2], NodeKind::scope) ? lookup_scope(c[2]) : lookup(tree_.name(c[2]));
    if (s != nullptr && s->kind == Symbol::Kind::type && types_.kind(TypeId(s->index)) == TypeKind::struct_) {
      owner = TypeId(s->index);
      space_ = type_spaces_[types_[owner].struct_id.value];
    } else if (s != nullptr && s->kind == Symbol::Kind::name_space) {
      space_ = s->index;
    } else {
      diags_.emit(range(c[2]), diag::not_a_type, tree_.name_text(c[2]));
      return FuncId();
    }
  }
  f.result = check_type(c[1]);
  if (tree_.has_flag(n, kNodeOperator)) {
    f.name = names_.intern("operator" + std::string(operator_text(n)));
    f.flags |= kFuncOperator;
  } else {
    f.name = tree_.name(n);
  }
  if (owner) {
    f.this_type = owner;
    f.flags |= q.has(QualifierKind::static_) ? kFuncStatic : kFuncMethod;
    if (q.has(QualifierKind::static_)) f.this_type = TypeId();
  }
  static_cast<void>(default_precision(f.result, q, n));
  if ((q.flags & kVarPrecise) != 0) f.flags |= kFuncPrecise;
  if (q.has(QualifierKind::export_)) f.flags |= kFuncExport;
  read_params(c[3], f);
  if (glsl()) f.flags = static_cast<uint16_t>(f.flags | glsl_function_attributes(c[0]) | glsl_function_attributes(c[4]));
  if (hlsl()) {
    Variable r;
    hlsl_annotations(r, c[4]);
    f.semantic = r.semantic;
    f.semantic_index = r.semantic_index;
    f.result_builtin = r.builtin;
  }
  const bool has_body = !tree_.is_empty(c[5]);
  if (has_body) f.body = c[5];
  const FuncId id = enter_function(n, std::move(f), has_body);
  space_ = outer_space;
  this_type_ = outer_this;
  return id;
}

std::string_view Checker::operator_text(NodeId n) const {
  const TokenKind k = static_cast<TokenKind>(tree_.token(n).kind);
  if (k == TokenKind::l_paren) return "()";
  if (k == TokenKind::l_bracket) return "[]";
  return token_kind_text(k);
}

/// Default values go from some parameter to the last.
void Checker::missing_defaults(const Function& f) {
  bool before = false;
  for (const Parameter& p : f.params) {
    if (before && !p.default_value) {
      const Variable& v = facts_.variables[p.var];
      diags_.emit(loc(v.decl), diag::bad_initialiser, text(v.name), "is missing: a parameter before it has one");
      return;
    }
    before = before || p.default_value;
  }
}

FuncId Checker::enter_function(NodeId n, Function f, bool has_body) {
  const NameId name = f.name;
  Symbol* s = scopes_.in_local() ? scopes_.find_innermost(name) : scopes_.find_in(space_, name);
  if (s != nullptr && s->kind != Symbol::Kind::functions) {
    auto d = diags_.emit(loc(n), diag::redeclared, text(name));
    if (s->decl) d.note(loc(s->decl), diag::declared_here, text(name));
    return FuncId();
  }
  if (s == nullptr) {
    const Symbol fresh{Symbol::Kind::functions, static_cast<uint32_t>(sets_.size()), n};
    sets_.emplace_back();
    declare(name, fresh, n);
    s = scopes_.in_local() ? scopes_.find_innermost(name) : scopes_.find_in(space_, name);
  }
  std::vector<FuncId>& set = sets_[s->index];
  const FuncId same = find_same(set, f);
  if (!same) {
    missing_defaults(f);
    const FuncId id = facts_.functions.add(std::move(f));
    sets_[s->index].push_back(id);
    set_ref(n, Ref::function, id.value);
    return id;
  }
  Function& old = facts_.functions[same];
  if (old.result != f.result && old.result != TypeId::error && f.result != TypeId::error) {
    diags_.emit(loc(n), diag::overload_result_differs, text(name)).note(loc(old.decl), diag::declared_here, text(name));
    return FuncId();
  }
  if (has_body && old.body) {
    diags_.emit(loc(n), diag::redeclared, text(name)).note(loc(old.decl), diag::declared_here, text(name));
    return FuncId();
  }
  set_ref(n, Ref::function, same.value);
  if (has_body) {
    for (size_t i = 0; i < f.params.size(); ++i) {
      if (!f.params[i].default_value) f.params[i].default_value = old.params[i].default_value;
    }
    missing_defaults(f);
    f.callees = old.callees;
    f.flags |= old.flags;
    if (!f.semantic) f.semantic = old.semantic;
    if (f.result_location == Id<TypeId>::kNone) f.result_location = old.result_location;
    if (f.result_index == Id<TypeId>::kNone) f.result_index = old.result_index;
    old = std::move(f);
  }
  return same;
}

void Checker::check_function(NodeId n) {
  const FuncId f = declare_function(n, TypeId());
  NodeList c;
  tree_.children(n, c);
  if (f && !tree_.is_empty(c[5])) check_body(f);
}

void Checker::check_body(FuncId id) {
  const NodeId body = facts_.functions[id].body;
  if (!body) return;
  const FuncId outer = function_;
  const TypeId outer_this = this_type_;
  const SpaceId outer_space = space_;
  const uint32_t outer_loop = loop_depth_;
  const uint32_t outer_switch = switch_depth_;
  loop_depth_ = switch_depth_ = 0;
  function_ = id;
  const Function& f = facts_.functions[id];
  if (f.this_type) this_type_ = f.this_type;
  if ((f.flags & (kFuncMethod | kFuncStatic)) != 0 && f.this_type) space_ = type_spaces_[types_[f.this_type].struct_id.value];
  scopes_.push();
  const std::vector<Parameter> params = f.params;
  for (const Parameter& p : params) {
    Variable& v = facts_.variables[p.var];
    v.function = id;
    if (v.name && !text(v.name).empty()) declare(v.name, {Symbol::Kind::variable, p.var.value, v.decl}, v.decl);
  }
  check_block(body, false);
  scopes_.pop();
  const Function& done = facts_.functions[id];
  if (done.result != TypeId::void_ && done.result != TypeId::error && !ends(body)) {
    diags_.emit(loc(done.decl), diag::missing_return, text(done.name));
  }
  if ((done.flags & kFuncPrecise) != 0) mark_precise_subtree(body);
  function_ = outer;
  this_type_ = outer_this;
  space_ = outer_space;
  loop_depth_ = outer_loop;
  switch_depth_ = outer_switch;
}

// Whether control surely does not run off the end; loops and switches count as ending (no flow analysis here).
bool Checker::ends(NodeId n) const {
  for (;;) {
    switch (tree_.kind(n)) {
      case NodeKind::block: {
        const NodeId last = tree_.last_child(n);
        if (!last) return false;
        n = last;
        break;
      }
      case NodeKind::attributed_stmt: n = tree_.last_child(n); break;
      case NodeKind::if_stmt: {
        const auto [cond, then, other] = tree_.first_children<3>(n);
        if (tree_.is_empty(other) || !ends(then)) return false;
        n = other;
        break;
      }
      case NodeKind::return_stmt:
      case NodeKind::discard_stmt:
      case NodeKind::jump_stmt:
      case NodeKind::switch_stmt:
      case NodeKind::for_stmt:
      case NodeKind::while_stmt:
      case NodeKind::do_stmt:
      case NodeKind::error: return true;
      default: return false;
    }
  }
}

// Only for diagnostics: the first call of the function.
void Checker::note_call(DiagHandle& d, FuncId f) const {
  for (uint32_t i = 0; i < facts_.nodes.size(); ++i) {
    const NodeId n(i);
    if (facts_.node(n).ref != Ref::call || facts_.call_of(n).function != f) continue;
    d.note(loc(n), diag::called_here, text(facts_.functions[f].name));
    return;
  }
}

// Callees first; recursion is an error wherever it stands.
void Checker::order_functions() {
  enum : uint8_t { white, grey, black };
  std::vector<uint8_t> color(facts_.functions.size(), white);
  struct Frame {
    FuncId f;
    size_t next;
  };
  std::vector<Frame> stack;
  auto walk = [&](FuncId root, bool used) {
    if (color[root.value] != white) return;
    stack.push_back({root, 0});
    color[root.value] = grey;
    while (!stack.empty()) {
      Frame& top = stack.back();
      Function& f = facts_.functions[top.f];
      if (top.next < f.callees.size()) {
        const FuncId next = f.callees[top.next++];
        if (color[next.value] == grey) {
          auto d = diags_.emit(loc(facts_.functions[next].decl), diag::recursion, text(facts_.functions[next].name));
          note_call(d, next);
        } else if (color[next.value] == white) {
          color[next.value] = grey;
          stack.push_back({next, 0});
        }
        continue;
      }
      color[top.f.value] = black;
      if (used) {
        f.flags |= kFuncUsed;
        if (!f.body) {
          auto d = diags_.emit(loc(f.decl), diag::function_not_defined, text(f.name));
          note_call(d, top.f);
        } else {
          facts_.function_order.push_back(top.f);
        }
      }
      stack.pop_back();
    }
  };
  for (FuncId f : init_callees_) walk(f, !facts_.entries.empty());
  for (const EntryFact& e : facts_.entries) walk(e.function, true);
  for (FuncId f : facts_.functions.ids()) walk(f, false);
}

}  // namespace carry::check
