#include "check/conversions.h"

#include <algorithm>

#include "check/facts.h"

namespace carry {
namespace {

// Scalars in a type; stops counting (and looking) at `limit`.
uint64_t leaf_count(const TypeTable& types, TypeId id, uint64_t limit) {
  const Type& t = types[id];
  if (limit == 0) return 0;
  switch (t.kind) {
    case TypeKind::scalar: return 1;
    case TypeKind::vector: return t.rows;
    case TypeKind::matrix: return uint64_t{t.rows} * t.columns;
    case TypeKind::array: return std::min(leaf_count(types, t.element, limit) * t.count, kMaxFlattened + 1);
    case TypeKind::struct_: {
      uint64_t sum = 0;
      for (const Member& m : types.struct_decl(id).members) {
        if (sum < limit) sum += std::max<uint64_t>(leaf_count(types, m.type, limit - sum), 1);
      }
      return sum;
    }
    default: return 1;
  }
}

Conversion classify_numeric(const Type& a, const Type& b) {
  const bool same_shape = a.kind == b.kind && a.rows == b.rows && a.columns == b.columns;
  if (same_shape) return Conversion::numeric;
  const uint32_t a_count = a.kind == TypeKind::scalar ? 1u : a.kind == TypeKind::vector ? a.rows : uint32_t{a.rows} * a.columns;
  const uint32_t b_count = b.kind == TypeKind::scalar ? 1u : b.kind == TypeKind::vector ? b.rows : uint32_t{b.rows} * b.columns;
  if (a_count == 1) return Conversion::splat;
  if (b_count == 1) return Conversion::truncate;
  if (a.kind == TypeKind::matrix && b.kind == TypeKind::matrix) {
    return b.rows <= a.rows && b.columns <= a.columns ? Conversion::truncate : Conversion::impossible;
  }
  if (a.kind == TypeKind::vector && b.kind == TypeKind::vector)
    return b_count < a_count ? Conversion::truncate : Conversion::impossible;
  return a_count == b_count ? Conversion::reshape : Conversion::impossible;
}

}  // namespace

Conversion classify_conversion(const TypeTable& types, TypeId from, TypeId to) {
  if (from == to) return Conversion::identity;
  if (types.is_numeric(from) && types.is_numeric(to)) return classify_numeric(types[from], types[to]);
  const TypeKind f = types.kind(from);
  const TypeKind t = types.kind(to);
  const bool f_aggregate = f == TypeKind::struct_ || f == TypeKind::array;
  const bool t_aggregate = t == TypeKind::struct_ || t == TypeKind::array;
  if (types.is_scalar(from) && t_aggregate) {
    return leaf_count(types, to, kMaxFlattened + 1) <= kMaxFlattened ? Conversion::flatten : Conversion::impossible;
  }
  if ((f_aggregate && (t_aggregate || types.is_numeric(to))) || (t_aggregate && types.is_numeric(from))) {
    const uint64_t have = leaf_count(types, from, kMaxFlattened + 1);
    const uint64_t want = leaf_count(types, to, kMaxFlattened + 1);
    return have >= want && have <= kMaxFlattened ? Conversion::flatten : Conversion::impossible;
  }
  return Conversion::impossible;
}

}  // namespace carry

namespace carry::check {
namespace {

using S = ScalarKind;

constexpr uint32_t bit(S s) { return 1u << static_cast<unsigned>(s); }
constexpr size_t at(S s) { return static_cast<size_t>(s); }

int width(S s) {
  switch (s) {
    case S::i8:
    case S::u8: return 8;
    case S::i16:
    case S::u16:
    case S::f16: return 16;
    case S::i64:
    case S::u64:
    case S::f64: return 64;
    default: return 32;
  }
}

// semantics.md 2.1, second table.
void add_explicit_types(std::array<uint32_t, kScalarKinds>& r) {
  const uint32_t floats = bit(S::f16) | bit(S::f32) | bit(S::f64);
  const uint32_t wide = bit(S::f32) | bit(S::f64);
  r[at(S::i8)] = bit(S::i32) | bit(S::u8) | bit(S::i16) | bit(S::u16) | bit(S::u32) | bit(S::i64) | bit(S::u64) | floats;
  r[at(S::u8)] = bit(S::i32) | bit(S::i16) | bit(S::u16) | bit(S::u32) | bit(S::i64) | bit(S::u64) | floats;
  r[at(S::i16)] = bit(S::i32) | bit(S::u16) | bit(S::u32) | bit(S::i64) | bit(S::u64) | floats;
  r[at(S::u16)] = bit(S::i32) | bit(S::u32) | bit(S::i64) | bit(S::u64) | floats;
  r[at(S::i32)] = bit(S::u32) | bit(S::i64) | bit(S::u64) | wide;
  r[at(S::u32)] = bit(S::i64) | bit(S::u64) | wide;
  r[at(S::i64)] = bit(S::u64) | bit(S::f64);
  r[at(S::u64)] = bit(S::f64);
  r[at(S::f16)] = wide;
  r[at(S::f32)] = bit(S::f64);
}

}  // namespace

ConversionRules glsl_conversion_rules(const LanguageMode& mode, const ConversionExtensions& e) {
  ConversionRules rules;
  const int v = mode.glsl_version;
  if (e.explicit_types) {
    add_explicit_types(rules.reach);
    rules.int_to_uint = true;
    rules.explicit_types = true;
    rules.overloads = OverloadRule::ranked_promotion;
    return rules;
  }
  auto& r = rules.reach;
  if (mode.is_es()) {
    if (!e.es_implicit || v < 310) return rules;
    r[at(S::i32)] = bit(S::f32) | bit(S::u32);
    r[at(S::u32)] = bit(S::f32);
    rules.int_to_uint = true;
    rules.overloads = OverloadRule::ranked_exact;
    return rules;
  }
  if (v < 120) return rules;
  const bool fp64 = v >= 400 || e.fp64;
  rules.int_to_uint = v >= 400 || (v >= 150 && e.gpu_shader5) || e.int64_arb;
  r[at(S::i32)] = bit(S::f32);
  if (v >= 130) r[at(S::u32)] = bit(S::f32);
  if (rules.int_to_uint) r[at(S::i32)] |= bit(S::u32);
  if (fp64) {
    for (S s : {S::i32, S::u32, S::f32}) r[at(s)] |= bit(S::f64);
  }
  if (e.int64_arb) {
    r[at(S::i32)] |= bit(S::i64) | bit(S::u64);
    r[at(S::u32)] |= bit(S::u64);
    r[at(S::i64)] |= bit(S::u64) | bit(S::f64);
    r[at(S::u64)] |= bit(S::f64);
  }
  rules.overloads = e.int64_arb                             ? OverloadRule::ranked_int64
                    : (v >= 400 || e.gpu_shader5 || e.fp64) ? OverloadRule::ranked
                                                            : OverloadRule::exact_or_unique;
  return rules;
}

ConversionRules hlsl_conversion_rules(const LanguageMode& mode) {
  ConversionRules rules;
  rules.hlsl = true;
  rules.hlsl_202x = mode.hlsl_version > 2021;
  rules.int_to_uint = true;
  rules.explicit_types = true;
  rules.overloads = rules.hlsl_202x ? OverloadRule::hlsl_ranks : OverloadRule::hlsl_sum;
  for (uint32_t& row : rules.reach) row = 0x7fff;
  return rules;
}

namespace {

// semantics.md 2.4, "usual arithmetic".
S hlsl_common(S a, S b, bool c_like) {
  if (a == b) return a;
  if (a == S::bool_) return b;
  if (b == S::bool_) return a;
  if (is_float(a) || is_float(b)) {
    if (a == S::lit_float) return is_float(b) ? b : b == S::lit_int ? a : S::f32;
    if (b == S::lit_float) return is_float(a) ? a : a == S::lit_int ? b : S::f32;
    if (!is_float(a)) return b;
    if (!is_float(b)) return a;
    return width(a) >= width(b) ? a : b;
  }
  if (a == S::lit_int) return b;
  if (b == S::lit_int) return a;
  const int wa = width(a);
  const int wb = width(b);
  if (c_like) {
    if (wa != wb) return wa > wb ? a : b;
    return is_unsigned_int(a) ? a : b;
  }
  const S wide = wa >= wb ? a : b;
  return is_unsigned_int(a) || is_unsigned_int(b) ? to_unsigned(wide) : wide;
}

}  // namespace

ScalarKind ConversionRules::common(ScalarKind a, ScalarKind b) const {
  if (a == b) return a;
  if (hlsl) return hlsl_common(a, b, hlsl_202x);
  if (converts(a, b)) return b;
  if (converts(b, a)) return a;
  // Neither reaches the other: the smallest kind that both reach, integers before floats.
  const bool ints = is_int(a) && is_int(b);
  for (S s : {S::i32, S::u32, S::i64, S::u64, S::f16, S::f32, S::f64}) {
    if (is_int(s) && !ints) continue;
    if (converts(a, s) && converts(b, s)) return s;
  }
  return S::none;
}

namespace {

bool is_promotion(S from, S to) {
  switch (from) {
    case S::i8:
    case S::u8:
    case S::i16:
    case S::u16: return to == S::i32;
    case S::f16:
    case S::f32: return to == S::f64;
    default: return false;
  }
}

bool wider_same_kind(S from, S to) {
  if (width(to) <= width(from)) return false;
  return (is_float(from) && is_float(to)) || (is_signed_int(from) && is_signed_int(to)) ||
         (is_unsigned_int(from) && is_unsigned_int(to));
}

}  // namespace

int compare_conversions(const ConversionRules& rules, ScalarKind from, ScalarKind a, ScalarKind b) {
  if (a == b) return 0;
  if (from == a) return -1;
  if (from == b) return 1;
  auto prefer = [](bool x, bool y) { return x == y ? 0 : x ? -1 : 1; };
  switch (rules.overloads) {
    case OverloadRule::ranked_promotion: return prefer(is_promotion(from, a), is_promotion(from, b));
    case OverloadRule::ranked_int64:
      if (const int c = prefer(wider_same_kind(from, a), wider_same_kind(from, b))) return c;
      break;
    case OverloadRule::ranked:
      if (from == S::f32) return prefer(a == S::f64, b == S::f64);
      break;
    default: return 0;
  }
  if (is_int(from) && a == S::f32 && b == S::f64) return -1;
  if (is_int(from) && a == S::f64 && b == S::f32) return 1;
  return 0;
}

namespace {

enum class Cast : uint8_t { exact, promotion, sign, other };

Cast hlsl_cast(S from, S to) {
  if (from == to) return Cast::exact;
  if (from == S::lit_int) return is_signed_int(to) ? Cast::promotion : is_unsigned_int(to) ? Cast::sign : Cast::other;
  if (from == S::lit_float) return is_float(to) ? Cast::promotion : Cast::other;
  if (is_float(from) && is_float(to)) return width(to) > width(from) ? Cast::promotion : Cast::other;
  if (is_int(from) && is_int(to)) {
    const bool same_sign = is_unsigned_int(from) == is_unsigned_int(to);
    if (width(to) < width(from)) return Cast::other;
    return same_sign ? Cast::promotion : Cast::sign;
  }
  if (from == S::bool_ && is_int(to)) return Cast::promotion;
  return Cast::other;
}

enum class Shape : uint8_t { same, splat, truncate, impossible };

Shape hlsl_shape(HlslShape from, HlslShape to) {
  const int f = from.columns == 0 ? from.rows : from.columns * from.rows;
  const int t = to.columns == 0 ? to.rows : to.columns * to.rows;
  if (from.columns == to.columns && from.rows == to.rows) return Shape::same;
  if (f == 1 && t == 1) return Shape::same;
  if (f == 1) return Shape::splat;
  if (t == 1) return Shape::truncate;
  if (from.columns == 0 && to.columns == 0) return t < f ? Shape::truncate : Shape::impossible;
  if (from.columns != 0 && to.columns != 0)
    return to.columns <= from.columns && to.rows <= from.rows ? Shape::truncate : Shape::impossible;
  return f == t ? Shape::truncate : Shape::impossible;
}

}  // namespace

uint64_t hlsl_score(ScalarKind from, HlslShape from_shape, ScalarKind to, HlslShape to_shape) {
  const Shape shape = hlsl_shape(from_shape, to_shape);
  if (shape == Shape::impossible) return kHlslImpossible;
  // Each kind counts in its own 8 bits, so that no number of cheap steps outweighs a dear one. Among promotions of a
  // literal, 32 bits come first.
  uint64_t score = 0;
  switch (hlsl_cast(from, to)) {
    case Cast::exact: break;
    case Cast::promotion: score += 1ull << 16; break;
    case Cast::sign: score += (1ull << 16) + (1ull << 24); break;
    case Cast::other: score += 1ull << 32; break;
  }
  if ((from == S::lit_int || from == S::lit_float) && width(to) != 32) score += 1;
  if (shape == Shape::splat) score += 1ull << 8;
  if (shape == Shape::truncate) score += 1ull << 40;
  return score;
}

uint32_t hlsl_rank(ScalarKind from, HlslShape from_shape, ScalarKind to, HlslShape to_shape) {
  const Shape shape = hlsl_shape(from_shape, to_shape);
  if (shape == Shape::impossible) return ~0u;
  const Cast cast = hlsl_cast(from, to);
  const uint32_t kind = cast == Cast::exact ? 0u : cast == Cast::promotion ? 1u : 2u;
  if (shape == Shape::truncate) return 6 + kind;
  return kind * 2 + (shape == Shape::splat ? 1u : 0u);
}

}  // namespace carry::check
