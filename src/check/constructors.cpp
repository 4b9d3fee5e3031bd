// Constructors and initialiser lists.
#include "check/checker.h"

namespace carry::check {

void Checker::check_construct(NodeId n, TypeId type) {
  NodeList children;
  tree_.children(n, children);
  std::vector<NodeId> args(children.begin() + 1, children.end());
  set_type(n, type);
  if (type == TypeId::void_) {
    diags_.emit(range(n), diag::bad_constructor, "void", "does not exist");
    return void(fail(n));
  }
  if (glsl()) return glsl_construct(n, type, args);
  if (args.size() == 1) return hlsl_cast_to(n, args[0], type);
  hlsl_construct(n, type, args);
}

void Checker::bad_construct(NodeId n, TypeId type, std::string why) {
  diags_.emit(range(n), diag::bad_constructor, type_text(type), std::move(why));
  fail(n);
}

void Checker::finish_construct(NodeId n, ConstructKind kind, const std::vector<NodeId>& args) {
  set_ref(n, Ref::construct, Id<TypeId>::kNone, static_cast<uint16_t>(kind));
  std::vector<ConstId> values;
  bool spec = false;
  for (NodeId a : args) {
    if (facts_.has(a, kFactSpec))
      spec = true;
    else if (!value_of(a))
      return;
    values.push_back(value_of(a));
  }
  if (spec)
    fact(n).flags |= kFactSpec;
  else if (kind == ConstructKind::zero || !holds_bit_fields(type_of(n)))
    set_value(n, fold_.construct(kind, type_of(n), values));
}

void Checker::glsl_construct(NodeId n, TypeId type, const std::vector<NodeId>& args) {
  const Type t = types_[type];
  if (t.kind == TypeKind::array || t.kind == TypeKind::struct_) return construct_aggregate(n, type, args);
  if (t.kind == TypeKind::combined || t.kind == TypeKind::sampler) return glsl_combine(n, type, args);
  if (glsl_address(n, type, args)) return;
  if (!types_.is_numeric(type)) return bad_construct(n, type, "does not exist");
  if (args.empty()) return bad_construct(n, type, "needs an argument");
  for (NodeId a : args) {
    if (!types_.is_numeric(facts_.result_type(a))) {
      // int(handle), uint64_t(buffer reference) and the like come with their extensions.
      return bad_construct(n, type, "does not take `" + type_text(facts_.result_type(a)) + "`");
    }
  }
  const TypeId first = facts_.result_type(args[0]);
  if (args.size() == 1) {
    const Conversion c = classify_conversion(types_, first, type);
    if (t.kind == TypeKind::matrix && types_.is_scalar(first)) {
      convert(args[0], types_.scalar(t.scalar));
      return finish_construct(n, ConstructKind::diagonal, args);
    }
    if (t.kind == TypeKind::matrix && types_.is_matrix(first)) {
      if (c == Conversion::identity || c == Conversion::numeric) return pass_conversion(n, args[0], type);
      convert(args[0], types_.with_scalar(first, t.scalar));
      return finish_construct(n, ConstructKind::resize, args);
    }
    const bool direct = c == Conversion::identity || c == Conversion::numeric ||
                        (c == Conversion::splat && t.kind == TypeKind::vector) ||
                        (c == Conversion::truncate && !types_.is_matrix(first)) || t.kind == TypeKind::scalar;
    if (direct && c != Conversion::impossible) return pass_conversion(n, args[0], type);
  }
  if (t.kind == TypeKind::scalar) return bad_construct(n, type, "takes one argument");
  const uint32_t wanted = t.kind == TypeKind::vector ? t.rows : uint32_t{t.rows} * t.columns;
  uint32_t have = 0;
  for (NodeId a : args) {
    const TypeId at = facts_.result_type(a);
    if (have >= wanted) return bad_construct(n, type, "has an argument too many");
    if (t.kind == TypeKind::matrix && types_.is_matrix(at))
      return bad_construct(n, type, "takes a matrix only as its single argument");
    have += types_.is_matrix(at) ? uint32_t{types_[at].rows} * types_[at].columns : types_.component_count(at);
    convert(a, types_.with_scalar(at, t.scalar));
  }
  if (have < wanted)
    return bad_construct(n, type, "needs " + std::to_string(wanted) + " components and got " + std::to_string(have));
  finish_construct(n, ConstructKind::parts, args);
}

void Checker::pass_conversion(NodeId n, NodeId arg, TypeId type) {
  convert(arg, type);
  set_ref(n, Ref::conversion, Id<TypeId>::kNone);
  set_value(n, value_of(arg));
  if (!value_of(n)) spec_result(n, {arg});
}

void Checker::construct_aggregate(NodeId n, TypeId type, const std::vector<NodeId>& args) {
  TypeId t = type;
  if (types_.kind(t) == TypeKind::array && types_[t].count == 0 && types_[t].count_override == Id<TypeId>::kNone) {
    if (args.empty()) return bad_construct(n, type, "needs an argument");
    TypeId element = types_[t].element;
    if (has_unsized(element)) element = facts_.result_type(args[0]);
    t = types_.array(element, static_cast<uint32_t>(args.size()));
    set_type(n, t);
  }
  const uint32_t count = types_.part_count(t);
  if (count != args.size()) {
    return bad_construct(n, type, "takes " + std::to_string(count) + " arguments, not " + std::to_string(args.size()));
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!coerce(args[i], types_.part(t, i), "a constructor")) return void(fail(n));
  }
  finish_construct(n, ConstructKind::aggregate, args);
}

void Checker::hlsl_construct(NodeId n, TypeId type, const std::vector<NodeId>& args) {
  if (!types_.is_numeric(type)) return bad_construct(n, type, "takes one argument");
  const Type t = types_[type];
  const uint32_t wanted = t.kind == TypeKind::scalar ? 1u : t.kind == TypeKind::vector ? t.rows : uint32_t{t.rows} * t.columns;
  uint32_t have = 0;
  for (NodeId a : args) {
    const TypeId at = facts_.result_type(a);
    if (!types_.is_numeric(at)) return bad_construct(n, type, "does not take `" + type_text(at) + "`");
    have += types_.is_matrix(at) ? uint32_t{types_[at].rows} * types_[at].columns : types_.component_count(at);
    convert(a, types_.with_scalar(at, t.scalar));
  }
  if (have != wanted)
    return bad_construct(n, type, "needs " + std::to_string(wanted) + " components and got " + std::to_string(have));
  finish_construct(n, ConstructKind::parts, args);
}

// ---- initialiser lists ----

void Checker::check_init_list(NodeId n, TypeId target) {
  if (target == TypeId::error) return void(fail(n));
  if (hlsl()) return hlsl_flatten_list(n, target);
  set_type(n, target);
  NodeList children;
  tree_.children(n, children);
  std::vector<NodeId> args(children.begin(), children.end());
  TypeId t = target;
  if (args.empty() && has_ext("GL_EXT_null_initializer")) return finish_construct(n, ConstructKind::zero, args);
  if (types_.kind(t) == TypeKind::array && types_[t].count == 0 && !args.empty() &&
      types_[t].count_override == Id<TypeId>::kNone) {
    t = types_.array(types_[t].element, static_cast<uint32_t>(args.size()));
    set_type(n, t);
  }
  const uint32_t count = types_.part_count(t);
  if (count != args.size() || types_.is_scalar(t)) {
    diags_.emit(range(n), diag::bad_initialiser, type_text(target),
                "needs " + std::to_string(count) + " parts, the list has " + std::to_string(args.size()));
    return void(fail(n));
  }
  bool ok = true;
  for (uint32_t i = 0; i < count; ++i) {
    if (!tree_.is(args[i], NodeKind::init_list)) check_expr(args[i]);
    ok = coerce(args[i], types_.part(t, i), "an initialiser") && ok;
    inherit(n, args[i]);
  }
  if (!ok) return void(fail(n));
  if (types_.kind(t) == TypeKind::array && has_unsized(types_[t].element)) {
    t = types_.array(type_of(args[0]), count);
    set_type(n, t);
  }
  finish_construct(n, ConstructKind::aggregate, args);
}

void Checker::target_leaves(TypeId t, std::vector<TypeId>& leaves) const {
  if (leaves.size() > 65536) return;
  const Type& type = types_[t];
  switch (type.kind) {
    case TypeKind::vector:
    case TypeKind::matrix: {
      const uint32_t n = type.kind == TypeKind::vector ? type.rows : uint32_t{type.rows} * type.columns;
      for (uint32_t i = 0; i < n; ++i) leaves.push_back(scalar_type(type.scalar));
      break;
    }
    case TypeKind::array:
      if (types_.kind(type.element) == TypeKind::struct_ && !struct_info(type.element).leaves) break;
      for (uint32_t i = 0; i < type.count && leaves.size() <= 65536; ++i) target_leaves(type.element, leaves);
      break;
    case TypeKind::struct_:
      if (!struct_info(t).leaves) break;
      for (uint32_t i = 0; i < types_.struct_decl(t).members.size(); ++i) {
        const size_t before = leaves.size();
        for (const BitField& b : facts_.bit_fields_of(type.struct_id)) {
          if (b.member == i) leaves.push_back(types_.struct_decl(t).members[i].type);
        }
        if (leaves.size() == before) target_leaves(types_.struct_decl(t).members[i].type, leaves);
      }
      break;
    default: leaves.push_back(t);
  }
}

bool Checker::same_leaves(TypeId a, TypeId b) const {
  if (classify_conversion(types_, a, b) != Conversion::flatten || holds_bit_fields(a) || holds_bit_fields(b)) return false;
  std::vector<TypeId> have, want;
  target_leaves(a, have);
  target_leaves(b, want);
  return have == want;
}

TypeId Checker::scalar_type(ScalarKind s) const {
  // The scalars have fixed ids in the order of ScalarKind.
  return TypeId(TypeId::bool_.value + static_cast<uint32_t>(s));
}

void Checker::hlsl_gather(NodeId n, std::vector<NodeId>& items) {
  NodeList children;
  tree_.children(n, children);
  for (NodeId c : children) {
    if (tree_.is(c, NodeKind::init_list)) {
      set_type(c, TypeId::void_);
      hlsl_gather(c, items);
    } else {
      check_expr(c);
      items.push_back(c);
    }
  }
}

void Checker::hlsl_flatten_list(NodeId n, TypeId target) {
  std::vector<NodeId> items;
  hlsl_gather(n, items);
  bool ok = true;
  std::vector<TypeId> have;
  std::vector<size_t> first;
  for (NodeId i : items) {
    ok = is_value(i) && ok;
    if (!ok) continue;
    inherit(n, i);
    first.push_back(have.size());
    target_leaves(facts_.result_type(i), have);
  }
  set_type(n, target);
  if (!ok) return void(fail(n));
  TypeId t = target;
  if (types_.kind(t) == TypeKind::array && types_[t].count == 0) {
    std::vector<TypeId> one;
    target_leaves(types_[t].element, one);
    if (!one.empty() && have.size() % one.size() == 0 && !have.empty())
      t = types_.array(types_[t].element, static_cast<uint32_t>(have.size() / one.size()));
    set_type(n, t);
  }
  if (items.empty()) return finish_construct(n, ConstructKind::zero, items);
  std::vector<TypeId> want;
  target_leaves(t, want);
  if (want.size() != have.size()) {
    diags_.emit(range(n), diag::bad_initialiser, type_text(target),
                "needs " + std::to_string(want.size()) + " scalars, the list has " + std::to_string(have.size()));
    return void(fail(n));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const TypeId from = facts_.result_type(items[i]);
    const TypeId to = want[first[i]];
    if (types_.is_scalar(from) && types_.is_scalar(to)) {
      warn_hlsl_conversion(items[i], from, to);
      convert(items[i], to);
    } else {
      settle(items[i]);
    }
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] != have[i] && !converts_implicitly(have[i], want[i])) {
      diags_.emit(range(n), diag::no_implicit_conversion, type_text(have[i]), type_text(want[i]), "an initialiser");
      return void(fail(n));
    }
  }
  finish_construct(n, ConstructKind::flatten, items);
}

}  // namespace carry::check
