// Conversions of expression nodes.
#include "check/checker.h"

namespace carry::check {
namespace {

/// Equal but for format and access.
bool same_image(const Type& a, const Type& b) {
  Type c = a;
  c.format = b.format;
  c.access = b.access;
  return c == b;
}

}  // namespace

void Checker::convert(NodeId n, TypeId to) {
  NodeFact& f = fact(n);
  if (f.type == TypeId::error || to == TypeId::error || !f.type) return;
  const TypeId now = f.converted ? f.converted : f.type;
  // Handles of one shape differ in format and access only: they are passed as they are.
  if (is_heap_element(now)) return bind_heap_element(n, to);
  if (now == to || (is_opaque(now) && is_opaque(to) && types_.kind(now) == types_.kind(to))) return;
  f.converted = to;
  const auto is_float_type = [&](TypeId t) { return types_.is_numeric(t) && is_float(types_.scalar_of(t)); };
  if (is_float_type(now) != is_float_type(to)) f.flags = static_cast<uint8_t>(f.flags & ~kFactSpec);
  if (!f.value) return;
  const ConstId v = fold_.convert(f.value, to);
  f.value = v && holds_bit_fields(to) && !types_.is_zero(v) ? ConstId() : v;
}

TypeId Checker::settled(TypeId t, ConstId value) const {
  if (!hlsl()) return t;
  const Type& type = types_[t];
  if (type.scalar == ScalarKind::lit_int) {
    if (value && types_.constant(value).kind == Constant::Kind::scalar) {
      const auto v = static_cast<int64_t>(types_.constant(value).bits);
      if (v > 0xffffffffll || v < -0x80000000ll) return types_.with_scalar(t, ScalarKind::i64);
    }
    return types_.with_scalar(t, ScalarKind::i32);
  }
  if (type.scalar == ScalarKind::lit_float) return types_.with_scalar(t, ScalarKind::f32);
  return t;
}

TypeId Checker::settle(NodeId n) {
  const TypeId t = facts_.result_type(n);
  if (!t || t == TypeId::error) return TypeId::error;
  const TypeId s = settled(t, value_of(n));
  if (s != t) convert(n, s);
  return s;
}

bool Checker::is_value(NodeId n) {
  if (is_error(n)) return false;
  const TypeId t = type_of(n);
  if (t == TypeId::void_) {
    diags_.emit(range(n), diag::not_a_value, "an expression of type `void`");
    fail(n);
    return false;
  }
  if (fact(n).ref == Ref::type_name) {
    diags_.emit(range(n), diag::not_a_value, "type `" + type_text(t) + "`");
    fail(n);
    return false;
  }
  return true;
}

bool Checker::converts_implicitly(TypeId from, TypeId to) const {
  if (from == to) return true;
  const Type& f = types_[from];
  const Type& t = types_[to];
  if (hlsl()) {
    if (types_.is_numeric(from) && types_.is_numeric(to)) {
      const Conversion c = classify_conversion(types_, from, to);
      if (c == Conversion::impossible) return false;
      // A vector meets a matrix only where both have the same number of components.
      return true;
    }
    if (is_heap_element(from)) return heap_gives(from, to);
    if (f.kind == TypeKind::struct_ && t.kind == TypeKind::struct_) return same_leaves(from, to);
    if (f.kind == TypeKind::object && (f.object == ObjectKind::constant_buffer || f.object == ObjectKind::texture_buffer))
      return converts_implicitly(f.element, to);
    if (f.kind == TypeKind::array && t.kind == TypeKind::array)
      return f.count == t.count && converts_implicitly(f.element, t.element) && f.element == t.element;
    if (f.kind == TypeKind::texture && t.kind == TypeKind::texture)
      return f.dim == t.dim && f.flags == t.flags && f.scalar == t.scalar;
    return f.kind == TypeKind::image && t.kind == TypeKind::image && same_image(f, t);
  }
  if (f.kind != t.kind || !types_.is_numeric(from)) {
    if (f.kind == TypeKind::image && t.kind == TypeKind::image) {
      return same_image(f, t);
    }
    return false;
  }
  if (f.rows != t.rows || f.columns != t.columns) return false;
  if (f.kind == TypeKind::matrix && !(is_float(f.scalar) && is_float(t.scalar))) return false;
  return rules_.converts(f.scalar, t.scalar);
}

void Checker::warn_hlsl_conversion(NodeId n, TypeId from, TypeId to) {
  const Conversion c = classify_conversion(types_, from, to);
  if (c == Conversion::truncate) {
    diags_.emit(range(n), diag::implicit_truncation, type_text(from), type_text(to));
    return;
  }
  if (c != Conversion::numeric && c != Conversion::splat) return;
  if (value_of(n)) return;
  const ScalarKind a = types_.scalar_of(from);
  const ScalarKind b = types_.scalar_of(to);
  const bool loses = (is_float(a) && is_int(b)) || (is_int(a) && is_int(b) && scalar_bits(a) > scalar_bits(b)) ||
                     (is_float(a) && is_float(b) && scalar_bits(a) > scalar_bits(b));
  if (loses) diags_.emit(range(n), diag::conversion_loses, type_text(from), type_text(to));
}

bool Checker::coerce(NodeId n, TypeId to, std::string_view what) {
  if (tree_.is(n, NodeKind::init_list)) {
    check_init_list(n, to);
    return !is_error(n);
  }
  if (!is_value(n) || to == TypeId::error) return false;
  const TypeId from = facts_.result_type(n);
  if (from == to) return true;
  if (!converts_implicitly(from, to)) {
    auto d = diags_.emit(range(n), diag::no_implicit_conversion, type_text(from), type_text(to), what);
    const NodeId core = strip_parens(n);
    if (glsl() && tree_.is(core, NodeKind::int_literal) && from == TypeId::i32 && to == TypeId::u32) {
      const Loc end = sources_.end_of(loc(core));
      d.fix({end, end}, "u");
    }
    return false;
  }
  if (hlsl()) warn_hlsl_conversion(n, from, to);
  convert(n, to);
  return true;
}

}  // namespace carry::check
