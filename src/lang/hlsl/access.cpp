// Index on HLSL objects, matrix swizzles, casts.
#include "check/checker.h"

namespace carry::check {
namespace {

uint32_t texel_dims(const Type& t) {
  uint32_t n = t.dim == Dim::d1 || t.dim == Dim::buffer ? 1u : t.dim == Dim::d3 || t.dim == Dim::cube ? 3u : 2u;
  if ((t.flags & kImageArrayed) != 0) ++n;
  return n;
}

}  // namespace

bool Checker::hlsl_object_index(NodeId n, NodeId object, NodeId index) {
  if (is_error(object) || is_error(index)) return false;
  const TypeId t = facts_.result_type(object);
  const Type& type = types_[t];
  auto coordinate = [&](uint32_t count) {
    if (!is_value(index)) return false;
    settle(index);
    const TypeId it = facts_.result_type(index);
    const ScalarKind s = types_.is_numeric(it) && is_signed_int(types_.scalar_of(it)) ? ScalarKind::i32 : ScalarKind::u32;
    return coerce(index, types_.vector(s, count), "an index");
  };
  auto done = [&](TypeId result, Ref ref, bool writable) {
    inherit(n, object);
    inherit(n, index);
    set_type(n, result);
    set_ref(n, ref, Id<TypeId>::kNone);
    fact(n).flags |= kFactPlace | kFactCostly;
    if (writable) fact(n).flags |= kFactLvalue;
    return true;
  };
  if (type.kind == TypeKind::texture || type.kind == TypeKind::image) {
    const NodeId core = strip_parens(object);
    const bool member = tree_.is(core, NodeKind::member) && fact(core).ref == Ref::none;
    if (member && (tree_.name_text(core) == "mips" || tree_.name_text(core) == "sample")) {
      if (!coordinate(1)) return fail(n), true;
      inherit(n, object);
      set_type(n, t);
      set_ref(n, Ref::none, 1);
      return true;
    }
    const bool mip = tree_.is(core, NodeKind::index) && fact(core).index == 1 && fact(core).ref == Ref::none &&
                     type.kind == TypeKind::texture && tree_.is(strip_parens(tree_.child(core, 0)), NodeKind::member);
    if (!coordinate(texel_dims(type))) return fail(n), true;
    const TypeId texel = types_.vector(type.scalar, type.rows == 0 ? 4 : type.rows);
    return done(texel, mip ? Ref::texel_mip : Ref::texel, type.kind == TypeKind::image);
  }
  if (type.kind != TypeKind::object) return false;
  switch (type.object) {
    case ObjectKind::structured_buffer:
    case ObjectKind::rw_structured_buffer:
    case ObjectKind::rov_structured_buffer:
      if (!coordinate(1)) return fail(n), true;
      return done(type.element, Ref::buffer_element, type.object != ObjectKind::structured_buffer);
    case ObjectKind::input_patch:
    case ObjectKind::output_patch: not_yet(n, "patches"); return fail(n), true;
    default: return false;
  }
}

// _m00 or _11, one to four of them; rows of the source are columns here.
bool Checker::hlsl_matrix_swizzle(NodeId n, TypeId t) {
  const NodeId object = tree_.child(n, 0);
  const std::string_view name = tree_.name_text(n);
  const Type type = types_[t];
  uint32_t packed = 0;
  uint32_t count = 0;
  uint32_t seen = 0;
  bool repeated = false;
  size_t i = 0;
  while (i < name.size()) {
    if (name[i] != '_' || count == 4) return false;
    ++i;
    const bool zero_based = i < name.size() && name[i] == 'm';
    if (zero_based) ++i;
    if (i + 1 >= name.size()) return false;
    const int base = zero_based ? '0' : '1';
    const int row = name[i] - base;
    const int column = name[i + 1] - base;
    if (row < 0 || row >= type.columns || column < 0 || column >= type.rows) return false;
    const uint32_t c = static_cast<uint32_t>(row) << 2 | static_cast<uint32_t>(column);
    packed |= c << (4 * count);
    repeated = repeated || (seen >> c & 1u) != 0;
    seen |= 1u << c;
    ++count;
    i += 2;
  }
  if (count == 0) return false;
  set_type(n, types_.vector(type.scalar, count));
  set_ref(n, Ref::matrix_swizzle, packed, static_cast<uint16_t>(count));
  fact(n).flags =
      static_cast<uint8_t>(fact(n).flags | (fact(object).flags & (repeated ? kFactPlace : kFactLvalue | kFactPlace)));
  if (value_of(object)) {
    std::vector<ConstId> parts;
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t c = packed >> (4 * k) & 15u;
      parts.push_back(types_.part_of(types_.part_of(value_of(object), c >> 2), c & 3u));
    }
    set_value(n, count == 1 ? parts[0] : types_.constant_composite(type_of(n), parts));
  }
  return true;
}

void Checker::check_cast(NodeId n) {
  const auto [target, operand] = tree_.first_children<2>(n);
  const TypeId to = check_type(target);
  check_expr(operand);
  if (to == TypeId::error || !is_value(operand)) return void(fail(n));
  hlsl_cast_to(n, operand, to);
}

void Checker::hlsl_cast_to(NodeId n, NodeId operand, TypeId to) {
  inherit(n, operand);
  const TypeId from = facts_.result_type(operand);
  if (is_heap_element(from) && heap_gives(from, to)) {
    convert(operand, to);
    set_type(n, to);
    set_ref(n, Ref::conversion, Id<TypeId>::kNone);
    return;
  }
  if ((holds_bit_fields(to) && !types_.is_numeric(from) && from != to) || (holds_bit_fields(from) && from != to)) {
    not_yet(n, "this conversion of a struct with bit fields");
    return void(fail(n));
  }
  const Conversion c = classify_conversion(types_, from, to);
  const bool whole_block = types_.kind(from) == TypeKind::object && converts_implicitly(from, to);
  if (to != TypeId::void_ && !whole_block && (c == Conversion::impossible || (contains_opaque(to) && from != to))) {
    diags_.emit(range(n), diag::no_implicit_conversion, type_text(from), type_text(to), "a cast");
    return void(fail(n));
  }
  if (to == TypeId::void_)
    settle(operand);
  else
    convert(operand, to);
  set_type(n, to);
  set_ref(n, Ref::conversion, Id<TypeId>::kNone);
  // (float3)x with x of that type still names x.
  if (from == to) fact(n).flags = static_cast<uint8_t>(fact(n).flags | (fact(operand).flags & (kFactPlace | kFactLvalue)));
  set_value(n, value_of(operand));
  if (!value_of(n)) spec_result(n, {operand});
}

}  // namespace carry::check
