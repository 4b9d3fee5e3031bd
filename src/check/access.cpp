// Index, member, swizzle, l-values.
#include "check/checker.h"

namespace carry::check {

void Checker::check_index(NodeId n) {
  const auto [object, index] = tree_.first_children<2>(n);
  check_expr(index);
  if (hlsl() && (hlsl_heap_index(n, object, index) || hlsl_object_index(n, object, index))) return;
  const bool ok = is_value(object);
  if (!is_value(index) || !ok) return void(fail(n));
  inherit(n, object);
  inherit(n, index);
  if (hlsl() && hlsl_operator_call(n, "[]", object, {index})) return;
  const TypeId t = facts_.result_type(object);
  TypeId e = element_type(t);
  if (hlsl() && types_.is_scalar(t) && tree_.is(strip_parens(object), NodeKind::index)) {
    // A row of a matrix of one column is a vector of one component.
    const TypeId whole = facts_.result_type(tree_.child(strip_parens(object), 0));
    if (types_.is_matrix(whole) && types_[whole].rows == 1) e = t;
  }
  if (!e) {
    diags_.emit(range(n), diag::not_indexable, type_text(t));
    return void(fail(n));
  }
  settle(index);
  TypeId it = facts_.result_type(index);
  if (!types_.is_scalar(it) || (glsl() && !is_int(types_.scalar_of(it)))) {
    if (!(hlsl() && types_.is_vector(it))) {
      diags_.emit(range(index), diag::index_type, type_text(it));
      return void(fail(n));
    }
  }
  ScalarKind s = types_.scalar_of(it);
  if (hlsl()) {
    if (is_float(s)) diags_.emit(range(index), diag::float_index, type_text(it));
    const ScalarKind to = is_float(s) || s == ScalarKind::bool_ ? ScalarKind::u32
                          : is_unsigned_int(s)                  ? ScalarKind::u32
                                                                : ScalarKind::i32;
    convert(index, types_.scalar(to));
  } else if (scalar_bits(s) == 64) {
    diags_.emit(range(index), diag::int64_index, type_text(it));
    return void(fail(n));
  } else if (scalar_bits(s) < 32) {
    convert(index, is_unsigned_int(s) ? TypeId::u32 : TypeId::i32);
  }
  if (!index_unsized(object, index)) return void(fail(n));
  set_type(n, e);
  fact(n).flags = static_cast<uint8_t>(fact(n).flags | (fact(object).flags & (kFactLvalue | kFactPlace)));
  if (const ConstId v = value_of(index)) {
    int64_t i = 0;
    const uint32_t count = types_.is_scalar(t) ? 1 : types_.part_count(t);
    const Type& tt = types_[t];
    const bool unsized = tt.kind == TypeKind::array && tt.count == 0;
    if (fold_.to_int(v, i) && (i < 0 || (!unsized && i >= static_cast<int64_t>(count)))) {
      diags_.emit(range(index), diag::index_out_of_range, std::to_string(i), type_text(t));
      return void(fail(n));
    }
    if (value_of(object))
      set_value(n, types_.is_scalar(t) ? value_of(object) : types_.part_of(value_of(object), static_cast<uint32_t>(i)));
    else
      spec_result(n, {object, index});
  } else {
    fact(n).flags |= kFactCostly;
    spec_result(n, {object, index});
  }
}

void Checker::check_member(NodeId n) {
  const NodeId object = tree_.child(n, 0);
  if (is_error(object)) return void(fail(n));
  const std::string_view name = tree_.name_text(n);
  TypeId t = facts_.result_type(object);
  if (fact(object).ref == Ref::type_name && hlsl() && types_.kind(t) == TypeKind::struct_) {
    if (const Symbol* s = scopes_.find_with_used(type_spaces_[types_[t].struct_id.value], tree_.name(n)))
      return use_symbol(n, *s, tree_.name(n));
  }
  if (!is_value(object)) return void(fail(n));
  inherit(n, object);
  if (types_.kind(t) == TypeKind::object && types_[t].object == ObjectKind::constant_buffer) t = types_[t].element;
  if (types_.kind(t) == TypeKind::object && types_[t].object == ObjectKind::texture_buffer) t = types_[t].element;
  const bool through_reference = is_reference(t);
  if (through_reference) {
    t = types_[t].element;
    if (!is_complete(t)) {
      diags_.emit(loc(n), diag::bad_type_use, type_text(t), "is declared only: its members are not known here");
      return void(fail(n));
    }
    fact(n).flags |= kFactCostly;
  }
  if (types_.kind(t) == TypeKind::struct_) {
    if (use_bit_field(n, t, tree_.name(n), fact(object).flags & (kFactLvalue | kFactPlace))) return;
    const std::vector<Member>& members = types_.struct_decl(t).members;
    for (uint32_t i = 0; i < members.size(); ++i) {
      if (members[i].name != tree_.name(n)) continue;
      set_type(n, members[i].type);
      set_ref(n, Ref::member, i);
      uint8_t flags = fact(object).flags & (kFactLvalue | kFactPlace);
      const uint32_t sid = types_[t].struct_id.value;
      if (through_reference) {
        const auto found = facts_.references.find(sid);
        const bool readonly = found != facts_.references.end() && (found->second.flags & kVarReadonly) != 0;
        flags = readonly ? kFactPlace : kFactPlace | kFactLvalue;
      }
      if (sid < facts_.members.size() && i < facts_.members[sid].size() && (facts_.members[sid][i].flags & kVarReadonly) != 0)
        flags &= kFactPlace;
      fact(n).flags |= flags;
      if (value_of(object))
        set_value(n, types_.part_of(value_of(object), i));
      else
        spec_result(n, {object});
      return;
    }
    if (hlsl()) {
      if (const Symbol* s = scopes_.find_with_used(type_spaces_[types_[t].struct_id.value], tree_.name(n));
          s != nullptr && s->kind == Symbol::Kind::variable) {
        return use_symbol(n, *s, tree_.name(n));
      }
    }
    diags_.emit(loc(n), diag::no_member, type_text(t), name);
    return void(fail(n));
  }
  if (types_.is_vector(t) || types_.is_scalar(t)) return check_swizzle(n, t);
  if (hlsl() && types_.is_matrix(t) && hlsl_matrix_swizzle(n, t)) return;
  const bool samples = (types_[t].flags & kImageMultisampled) != 0;
  if (hlsl() && types_.kind(t) == TypeKind::texture && name == (samples ? "sample" : "mips")) {
    set_type(n, t);
    set_ref(n, Ref::none, Id<TypeId>::kNone);
    return;
  }
  diags_.emit(loc(n), diag::no_member, type_text(t), name);
  fail(n);
}

void Checker::check_swizzle(NodeId n, TypeId t) {
  const NodeId object = tree_.child(n, 0);
  const std::string_view name = tree_.name_text(n);
  const uint32_t size = types_.component_count(t);
  const bool scalar_ok = hlsl() || has_ext("GL_EXT_scalar_swizzle") || has_ext("GL_ARB_shading_language_420pack") ||
                         (!mode_.is_es() && mode_.glsl_version >= 420);
  static constexpr std::string_view kSets[] = {"xyzw", "rgba", "stpq"};
  uint32_t packed = 0;
  uint32_t seen = 0;
  bool repeated = false;
  bool ok = !name.empty() && name.size() <= 4 && (types_.is_vector(t) || scalar_ok);
  if (ok) {
    ok = false;
    for (std::string_view set : kSets) {
      if (hlsl() && set[0] == 's') continue;
      if (set.find(name[0]) == std::string_view::npos) continue;
      ok = true;
      for (uint32_t i = 0; i < name.size(); ++i) {
        const size_t c = set.find(name[i]);
        if (c == std::string_view::npos || c >= size) {
          ok = false;
          break;
        }
        packed |= static_cast<uint32_t>(c) << (4 * i);
        repeated = repeated || (seen >> c & 1u) != 0;
        seen |= 1u << c;
      }
      break;
    }
  }
  if (!ok) {
    if (types_.is_scalar(t) && !scalar_ok)
      diags_.emit(loc(n), diag::no_member, type_text(t), name);
    else
      diags_.emit(loc(n), diag::bad_swizzle, type_text(t), name);
    return void(fail(n));
  }
  const TypeId r = types_.vector(types_.scalar_of(t), static_cast<uint32_t>(name.size()));
  if (hlsl() && !value_of(object)) settle(object);
  set_type(n, r);
  set_ref(n, Ref::swizzle, packed, static_cast<uint16_t>(name.size()));
  fact(n).flags =
      static_cast<uint8_t>(fact(n).flags | (fact(object).flags & (repeated ? kFactPlace : kFactLvalue | kFactPlace)));
  if (value_of(object))
    set_value(n, fold_.swizzle(value_of(object), packed, static_cast<uint32_t>(name.size()), r));
  else
    spec_result(n, {object});
}

VarId Checker::root_variable(NodeId n) const {
  for (;;) {
    switch (tree_.kind(n)) {
      case NodeKind::paren:
      case NodeKind::index:
      case NodeKind::member:
        if (facts_.node(n).ref == Ref::variable) return facts_.variable_of(n);
        n = tree_.child(n, 0);
        break;
      default: return facts_.variable_of(n);
    }
  }
}

/// What makes a value that is no place: for messages.
std::string Checker::value_text(NodeId n) const {
  switch (tree_.kind(n)) {
    case NodeKind::assign: {
      const BinaryOp op = tree_.binary_op(n);
      return "not the result of `" + (op == BinaryOp::none ? std::string() : std::string(binary_op_text(op))) + "=`";
    }
    case NodeKind::binary: return "not the result of `" + std::string(binary_op_text(tree_.binary_op(n))) + "`";
    case NodeKind::unary: return "not the result of `" + std::string(unary_op_text(tree_.unary_op(n))) + "`";
    case NodeKind::call: return "not the result of a call";
    case NodeKind::conditional: return "not the result of `?:`";
    case NodeKind::member:
    case NodeKind::index:
      return facts_.has(tree_.child(n, 0), kFactPlace) ? "not a value" : value_text(strip_parens(tree_.child(n, 0)));
    default: return "not a value";
  }
}

bool Checker::require_lvalue(NodeId n, std::string_view what) {
  if (is_error(n)) return false;
  if (facts_.has(n, kFactLvalue)) return true;
  const NodeId core = strip_parens(n);
  std::string why = value_text(core);
  const bool swizzle = fact(core).ref == Ref::swizzle || fact(core).ref == Ref::matrix_swizzle;
  if (tree_.is(core, NodeKind::member) && swizzle && facts_.has(tree_.child(core, 0), kFactLvalue)) {
    why = "but swizzle `" + std::string(tree_.name_text(core)) + "` repeats a component";
  } else if (through_reference(core)) {
    why = "but lies behind a readonly buffer reference";
  } else if (const VarId id = root_variable(n); id && facts_.has(n, kFactPlace)) {
    const Variable& v = facts_.variables[id];
    const Variable& root = v.owner ? facts_.variables[v.owner] : v;
    const char* kind = (v.flags & kVarConst) != 0                                                   ? "const"
                       : ((v.flags | root.flags) & kVarReadonly) != 0                               ? "readonly"
                       : root.kind == VarKind::uniform_block || root.kind == VarKind::uniform_plain ? "a uniform"
                       : root.kind == VarKind::push_block                                           ? "a push constant"
                       : root.kind == VarKind::stage_in                                             ? "an input"
                                                                                                    : "read only";
    why = "but `" + std::string(text(v.name)) + "` is " + kind;
  }
  diags_.emit(range(n), diag::not_an_lvalue, what, why);
  return false;
}

// The place lies behind a buffer reference.
bool Checker::through_reference(NodeId n) const {
  while (tree_.is(n, NodeKind::paren) || tree_.is(n, NodeKind::index) || tree_.is(n, NodeKind::member)) {
    const NodeId object = tree_.child(n, 0);
    if (tree_.is(n, NodeKind::member) && fact_type_is_reference(object)) return true;
    n = object;
  }
  return false;
}

// Atomics work on a scalar (or one component) in a buffer or in shared memory; HLSL also on texels.
bool Checker::require_atomic_memory(NodeId n) {
  const NodeId core = strip_parens(n);
  const NodeFact& f = fact(core);
  if (f.ref == Ref::texel) return types_.is_scalar(type_of(core));
  if (f.ref == Ref::bit_field) return false;
  if ((f.ref == Ref::swizzle || f.ref == Ref::matrix_swizzle) && f.extra != 1) return false;
  if (!facts_.has(core, kFactPlace)) return false;
  if (through_reference(core)) return facts_.has(core, kFactLvalue);
  for (NodeId at = core;;) {
    const NodeFact& a = fact(at);
    if (a.ref == Ref::texel) return types_.is_scalar(type_of(at)) && facts_.has(core, kFactLvalue);
    if (a.ref == Ref::buffer_element) return facts_.has(core, kFactLvalue);
    const NodeKind k = tree_.kind(at);
    if (a.ref == Ref::variable) {
      const Variable& v = facts_.variables[VarId(a.index)];
      const Variable& root = v.owner ? facts_.variables[v.owner] : v;
      if (root.kind == VarKind::storage_block) return facts_.has(core, kFactLvalue);
      return root.kind == VarKind::shared || root.kind == VarKind::payload;
    }
    if (k != NodeKind::paren && k != NodeKind::index && k != NodeKind::member) return false;
    at = tree_.child(at, 0);
  }
}

}  // namespace carry::check
