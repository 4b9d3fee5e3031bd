// Expressions: the walk, literals, names, index, conditional.
#include "check/checker.h"

namespace carry::check {
namespace {

bool is_spine(NodeKind k) {
  return k == NodeKind::binary || k == NodeKind::index || k == NodeKind::member || k == NodeKind::call ||
         k == NodeKind::unary || k == NodeKind::template_ref || k == NodeKind::paren;
}

}  // namespace

// Left-deep chains may be as long as the source: go down child 0 with a list, then check from the inside out.
TypeId Checker::check_expr(NodeId n) {
  std::vector<NodeId> spine;
  NodeId at = n;
  while (is_spine(tree_.kind(at))) {
    spine.push_back(at);
    const NodeId first = tree_.child(at, 0);
    const NodeKind k = tree_.kind(at);
    const NodeKind f = tree_.kind(first);
    if (k == NodeKind::call && f != NodeKind::member && f != NodeKind::template_ref) break;
    if (k == NodeKind::template_ref && f != NodeKind::member) break;
    if (k == NodeKind::unary && f == NodeKind::int_literal && tree_.unary_op(at) == UnaryOp::neg) literal_negated_ = first;
    at = first;
  }
  if (spine.empty() || at != spine.back()) check_expr_node(at);
  for (size_t i = spine.size(); i-- > 0;) {
    const NodeId s = spine[i];
    // The callee of a method call is no expression: the call looks at it itself, its object is checked by now.
    const bool callee = i > 0 && (tree_.is(s, NodeKind::member) || tree_.is(s, NodeKind::template_ref)) &&
                        (tree_.is(spine[i - 1], NodeKind::call) || tree_.is(spine[i - 1], NodeKind::template_ref));
    if (!callee) check_expr_node(s);
  }
  return type_of(n);
}

void Checker::check_expr_node(NodeId n) {
  switch (tree_.kind(n)) {
    case NodeKind::int_literal: glsl() ? glsl_int_literal(n) : hlsl_int_literal(n); break;
    case NodeKind::float_literal: float_literal(n); break;
    case NodeKind::bool_literal:
      set_type(n, TypeId::bool_);
      set_value(n, types_.constant_bool(tree_[n].op != 0));
      break;
    case NodeKind::string_literal: set_type(n, TypeId::string); break;
    case NodeKind::name: check_name(n); break;
    case NodeKind::scope: check_name(n); break;
    case NodeKind::this_expr:
      if (!this_type_ || !function_) {
        diags_.emit(loc(n), diag::undeclared_name, "this");
        fail(n);
        break;
      }
      set_type(n, this_type_);
      fact(n).flags |= kFactLvalue | kFactPlace;
      break;
    case NodeKind::paren: {
      const NodeId c = tree_.child(n, 0);
      NodeFact& f = fact(n);
      const NodeFact& g = fact(c);
      f.type = g.converted ? g.converted : g.type;
      f.value = g.value;
      f.flags = g.flags;
      if (g.ref == Ref::type_name) f.ref = g.ref;
      break;
    }
    case NodeKind::unary: check_unary(n); break;
    case NodeKind::binary: check_binary(n); break;
    case NodeKind::assign: check_assign(n); break;
    case NodeKind::conditional: check_conditional(n); break;
    case NodeKind::call: check_call(n); break;
    case NodeKind::index: check_index(n); break;
    case NodeKind::member: check_member(n); break;
    case NodeKind::cast: check_cast(n); break;
    case NodeKind::init_list:
      diags_.emit(range(n), diag::not_a_value, "an initialiser list");
      fail(n);
      break;
    case NodeKind::sizeof_expr: check_sizeof(n); break;
    case NodeKind::char_literal: hlsl_char_literal(n); break;
    case NodeKind::error:
    case NodeKind::empty: fail(n); break;
    case NodeKind::builtin_type:
    case NodeKind::array_type:
    case NodeKind::template_ref:
    case NodeKind::qualified_type:
      if (check_type(n) != TypeId::error) diags_.emit(range(n), diag::not_a_value, "a type");
      fail(n);
      break;
    default: fail(n); break;
  }
}

Symbol* Checker::lookup(NameId name) {
  if (Symbol* s = scopes_.find_local(name)) return s;
  if (Symbol* s = scopes_.find_outward(space_, name)) return s;
  if (glsl() && glsl_builtin_variable(name)) return scopes_.find_in(kGlobalSpace, name);
  return nullptr;
}

Symbol* Checker::lookup_scope(NodeId n) {
  const auto [left, right] = tree_.first_children<2>(n);
  const NameId name = tree_.name(right);
  SpaceId space = kGlobalSpace;
  if (tree_.is(left, NodeKind::name) || tree_.is(left, NodeKind::scope)) {
    Symbol* s = tree_.is(left, NodeKind::scope) ? lookup_scope(left) : lookup(tree_.name(left));
    if (s == nullptr) return nullptr;
    if (s->kind == Symbol::Kind::name_space) {
      space = s->index;
    } else if (s->kind == Symbol::Kind::type) {
      const TypeId t(s->index);
      if (s->decl && enums_.count(s->decl.value) != 0)
        space = enums_[s->decl.value];
      else if (types_.kind(t) == TypeKind::struct_)
        space = type_spaces_[types_[t].struct_id.value];
      else
        return nullptr;
      return scopes_.find_with_used(space, name);
    } else {
      return nullptr;
    }
  } else if (!tree_.is_empty(left)) {
    return nullptr;
  }
  return scopes_.find_with_used(space, name);
}

void Checker::check_name(NodeId n) {
  const bool scoped = tree_.is(n, NodeKind::scope);
  const NameId name = scoped ? tree_.name(tree_.child(n, 1)) : tree_.name(n);
  const Symbol* s = scoped ? lookup_scope(n) : lookup(name);
  if (s == nullptr && !scoped && this_type_) {
    if (use_bit_field(n, this_type_, name, kFactLvalue | kFactPlace)) return;
    const std::vector<Member>& members = types_.struct_decl(this_type_).members;
    for (uint32_t i = 0; i < members.size(); ++i) {
      if (members[i].name == name) {
        set_type(n, members[i].type);
        set_ref(n, Ref::member, i);
        fact(n).flags |= kFactLvalue | kFactPlace;
        return;
      }
    }
  }
  if (s == nullptr && hlsl() && !scoped && hlsl_heap_name(n, name)) return;
  if (s == nullptr) {
    for (NodeId r : reported_) {
      if (tree_.name(r) == name && !scoped) return void(fail(n));
    }
    reported_.push_back(scoped ? tree_.child(n, 1) : n);
    if (!glsl() || !glsl_missing_name(n, name))
      diags_.emit(loc(scoped ? tree_.child(n, 1) : n), diag::undeclared_name, text(name));
    return void(fail(n));
  }
  use_symbol(n, *s, name);
}

void Checker::use_symbol(NodeId n, const Symbol& s, NameId name) {
  switch (s.kind) {
    case Symbol::Kind::variable: use_variable(n, VarId(s.index)); return;
    case Symbol::Kind::type:
      set_type(n, TypeId(s.index));
      fact(n).ref = Ref::type_name;
      return;
    default: break;
  }
  std::string what = s.kind == Symbol::Kind::functions    ? "function `"
                     : s.kind == Symbol::Kind::name_space ? "namespace `"
                                                          : "template `";
  diags_.emit(range(n), diag::not_a_value, what + std::string(text(name)) + "`");
  fail(n);
}

void Checker::use_variable(NodeId n, VarId id) {
  Variable& v = facts_.variables[id];
  v.flags |= kVarUsed;
  NodeFact& f = fact(n);
  f.type = v.type;
  f.ref = Ref::variable;
  f.index = id.value;
  if (v.kind == VarKind::constant) {
    f.value = v.value;
    f.flags = kFactPlace;
    return;
  }
  if (v.kind == VarKind::spec_constant) {
    f.flags = kFactSpec;
    return;
  }
  f.flags = kFactPlace;
  if ((v.flags & kVarNonUniform) != 0) f.flags |= kFactNonUniform;
  if ((v.flags & kVarSpecValue) != 0) f.flags |= kFactSpec;
  if (v.kind == VarKind::const_variable) return;
  const Variable* root = &v;
  if (v.kind == VarKind::block_member) {
    const Variable& owner = facts_.variables[v.owner];
    owner_used(v.owner);
    root = &owner;
  }
  bool writable = (v.flags & (kVarConst | kVarReadonly)) == 0;
  switch (root->kind) {
    case VarKind::stage_in:
    case VarKind::uniform_block:
    case VarKind::push_block:
    case VarKind::uniform_plain:
    case VarKind::handle:
    case VarKind::storage_object: writable = false; break;
    case VarKind::builtin: writable = writable && (root->flags & kVarReadonly) == 0; break;
    case VarKind::storage_block: writable = writable && (root->flags & kVarReadonly) == 0; break;
    default: break;
  }
  if (hlsl() && contains_opaque(v.type) &&
      (v.kind == VarKind::local || v.kind == VarKind::private_ || v.kind == VarKind::param))
    writable = true;
  if (writable) f.flags |= kFactLvalue;
}

// Chains down the last operand are long, not deep: in order of the source first, then from the inside out.
void Checker::check_conditional(NodeId n) {
  std::vector<NodeId> links;
  NodeId at = n;
  for (; tree_.is(at, NodeKind::conditional); at = tree_.child(at, 2)) {
    links.push_back(at);
    check_expr(tree_.child(at, 0));
    check_expr(tree_.child(at, 1));
  }
  check_expr(at);
  for (size_t i = links.size(); i-- > 0;) finish_conditional(links[i]);
}

void Checker::finish_conditional(NodeId n) {
  const auto [cond, a, b] = tree_.first_children<3>(n);
  const bool ok = is_value(cond) && !is_error(a) && !is_error(b);
  if (!ok || (type_of(a) != TypeId::void_ && !is_value(a)) || (type_of(b) != TypeId::void_ && !is_value(b)))
    return void(fail(n));
  for (NodeId c : {cond, a, b}) inherit(n, c);
  settle(cond);
  TypeId ct = facts_.result_type(cond);
  if (hlsl() && types_.is_vector(ct) && mode_.hlsl_version >= 2021) {
    diags_.emit(range(cond), diag::vector_condition, "?:", "select");
    return void(fail(n));
  }
  if (hlsl() && types_.is_numeric(ct) && !types_.is_matrix(ct)) {
    ct = types_.with_scalar(ct, ScalarKind::bool_);
    convert(cond, ct);
  } else if (ct != TypeId::bool_) {
    diags_.emit(range(cond), diag::condition_type, type_text(ct));
    return void(fail(n));
  }
  TypeId ta = facts_.result_type(a);
  TypeId tb = facts_.result_type(b);
  TypeId result = ta;
  if (ta != tb || types_.is_vector(ct)) {
    result = conditional_type(n, a, b, ct);
    if (result == TypeId::error) return void(fail(n));
    convert(a, result);
    convert(b, result);
  }
  if (hlsl() && !(value_of(cond) && value_of(a) && value_of(b))) {
    const TypeId s = settled(result, ConstId());
    if (s != result) {
      const TypeId wide = types_.is_numeric(s) ? (settled(result, value_of(a)) == s ? settled(result, value_of(b))
                                                                                    : settled(result, value_of(a)))
                                               : s;
      result = wide;
      convert(a, result);
      convert(b, result);
    }
  }
  if (contains_opaque(result)) {
    diags_.emit(range(n), diag::bad_type_use, type_text(result), "cannot be chosen by `?:`: choose among what is read from it");
    return void(fail(n));
  }
  set_type(n, result);
  if (value_of(cond) && value_of(a) && value_of(b) && ct == TypeId::bool_) {
    set_value(n, types_.is_zero(value_of(cond)) ? value_of(b) : value_of(a));
  } else {
    spec_result(n, {cond, a, b});
  }
}

void Checker::spec_result(NodeId n, std::initializer_list<NodeId> parts) {
  bool spec = false;
  for (NodeId p : parts) {
    if (facts_.has(p, kFactSpec))
      spec = true;
    else if (!value_of(p))
      return;
  }
  if (spec) fact(n).flags |= kFactSpec;
}

TypeId Checker::conditional_type(NodeId n, NodeId a, NodeId b, TypeId ct) {
  const TypeId ta = facts_.result_type(a);
  const TypeId tb = facts_.result_type(b);
  if (glsl()) {
    if (types_.is_numeric(ta) && types_.is_numeric(tb)) {
      const ScalarKind s = rules_.common(types_.scalar_of(ta), types_.scalar_of(tb));
      if (s != ScalarKind::none) {
        const TypeId r = types_.with_scalar(ta, s);
        if (converts_implicitly(ta, r) && converts_implicitly(tb, r)) return r;
      }
    }
    return operand_mismatch(n, "?:", a, b);
  }
  if (!types_.is_numeric(ta) || !types_.is_numeric(tb)) {
    if (ta == tb && !types_.is_vector(ct)) return ta;
    return operand_mismatch(n, "?:", a, b);
  }
  const ScalarKind s = rules_.common(types_.scalar_of(ta), types_.scalar_of(tb));
  TypeId shape = types_.is_scalar(ta) ? tb : types_.is_scalar(tb) ? ta : ta;
  if (!types_.is_scalar(ta) && !types_.is_scalar(tb) &&
      classify_conversion(types_, ta, types_.with_scalar(tb, types_.scalar_of(ta))) == Conversion::truncate)
    shape = tb;
  if (types_.is_vector(ct)) {
    if (types_.is_scalar(shape)) shape = ct;
    if (types_.component_count(shape) != types_.component_count(ct)) return operand_mismatch(n, "?:", a, b);
  }
  const TypeId r = types_.with_scalar(shape, s);
  if (!converts_implicitly(ta, r) || !converts_implicitly(tb, r)) return operand_mismatch(n, "?:", a, b);
  warn_hlsl_conversion(a, ta, r);
  warn_hlsl_conversion(b, tb, r);
  return r;
}

TypeId Checker::operand_mismatch(NodeId n, std::string_view op, NodeId a, NodeId b) {
  diags_.emit(range(n), diag::operand_type_mismatch, op, type_text(facts_.result_type(a)), type_text(facts_.result_type(b)));
  return TypeId::error;
}

}  // namespace carry::check
