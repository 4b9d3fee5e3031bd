#include "ops/builtins.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>

#include "ops/eval/float_bits.h"
#include "ops/expand.h"
#include "ops/fold.h"
#include "ops/fold_form.h"

namespace carry {
namespace {

using namespace builtins;
constexpr uint16_t kAllScalars = 0xfff;

ConstId f32(TypeTable& t, float v) { return t.constant_f32(v); }

/// Calls the first form of `name` that takes exactly these constants; its results.
std::vector<ConstId> call(TypeTable& types, Lang lang, std::string_view name, std::vector<ConstId> args) {
  for (const Form& form : find_forms(lang, name)) {
    Bindings b;
    for (bool more = first_bindings(form, kAllScalars, b); more; more = next_bindings(form, kAllScalars, b)) {
      size_t at = 0;
      bool fits = true;
      for (const Param& p : params(form)) {
        if (p.direction == Direction::out) continue;
        fits = fits && at < args.size() && instantiate(types, p.type, b) == types.constant(args[at]).type;
        ++at;
      }
      std::vector<ConstId> results;
      if (fits && at == args.size() && fold_form(types, form, b, args, results)) return results;
    }
  }
  return {};
}
uint64_t bits_of(TypeTable& types, Lang lang, std::string_view name, std::vector<ConstId> args) {
  const std::vector<ConstId> r = call(types, lang, name, std::move(args));
  EXPECT_FALSE(r.empty()) << name;
  return r.empty() ? 0xdead : types.constant(r[0]).bits;
}

TEST(Builtins, Lookup) {
  EXPECT_TRUE(find_forms(Lang::glsl, "no_such_function").empty());
  EXPECT_TRUE(find_forms(Lang::glsl, "saturate").empty());
  EXPECT_FALSE(find_forms(Lang::hlsl, "saturate").empty());
  EXPECT_FALSE(find_methods("SampleLevel").empty());
  EXPECT_TRUE(find_forms(Lang::hlsl, "SampleLevel").empty());
  std::map<std::pair<int, std::string>, size_t> counts;
  for (const Form& f : all_forms())
    ++counts[{f.owner.kind != PatternKind::void_ ? 2 : static_cast<int>(f.lang), std::string(f.name)}];
  for (const auto& [key, count] : counts) {
    EXPECT_EQ((key.first == 2 ? find_methods(key.second) : find_forms(static_cast<Lang>(key.first), key.second)).size(), count)
        << key.second;
  }
}

TEST(Builtins, EveryFormInstantiates) {
  TypeTable types;
  for (const Form& form : all_forms()) {
    Bindings start;
    if (form.shapes != 0) {
      for (unsigned s = 0; s < static_cast<unsigned>(TexShape::count_); ++s) {
        if ((form.shapes >> s & 1) != 0) start.shape = static_cast<TexShape>(s);
      }
      start.element = TypeId::f32;
    }
    if (form.owner.kind == PatternKind::object) start.element = TypeId::f32;
    Bindings b = start;
    size_t count = 0;
    for (bool more = first_bindings(form, kAllScalars, b); more && count < 2000; more = next_bindings(form, kAllScalars, b)) {
      ++count;
      if (b.columns == 1 || b.rows == 1) continue;
      for (const Param& p : params(form)) {
        if (is_handle_pattern(p.type.kind) || p.type.kind == PatternKind::same) continue;
        EXPECT_NE(instantiate(types, p.type, b), TypeId::error) << form.name << " " << p.name;
      }
      EXPECT_NE(action(form, b).kind, Action::Kind::none) << form.name;
    }
    EXPECT_GT(count, 0u) << form.name;
    EXPECT_LT(count, 2000u) << form.name;
  }
}

// Every expansion without effects has a value for constants of every type that its form takes: operand rules and types
// agree.
TEST(Builtins, EveryExpansionFolds) {
  TypeTable types;
  uint32_t seed = 7;
  for (const Form& form : all_forms()) {
    Bindings b;
    if (form.shapes != 0) continue;
    for (bool more = first_bindings(form, kAllScalars, b); more; more = next_bindings(form, kAllScalars, b)) {
      const Action& a = action(form, b);
      if (a.kind != Action::Kind::expand || b.columns != 0) continue;
      const Expansion& e = expansions()[a.index];
      bool pure = true;
      for (const ExpandInst& i : insts(e)) pure = pure && has_trait(i.op, kPure) && i.payload_param == 255;
      if (!pure) continue;
      std::vector<ConstId> args, results;
      for (const Param& p : params(form)) {
        if (p.direction == Direction::out) continue;
        const TypeId type = instantiate(types, p.type, b);
        seed = seed * 1664525u + 1013904223u;
        const ConstId scalar = types.constant_bits(types.scalar(types.scalar_of(type)), seed);
        args.push_back(types.is_scalar(type) ? scalar : types.splat(type, scalar));
      }
      ASSERT_TRUE(fold_expansion(types, e, b, args, results)) << form.name << " n=" << int(b.n);
      if (form.result.kind != PatternKind::void_) {
        EXPECT_EQ(types.constant(results[0]).type, instantiate(types, form.result, b)) << form.name;
      }
    }
  }
}

// What a target computes in place of an operation is what eval says, to the bit.
TEST(Builtins, TargetExpansionsAgreeWithEval) {
  TypeTable types;
  const uint64_t edges[] = {0,          1,          2,          0x7f,       0x80,       0xff,       0xffff,     0x10000,
                            0x3c00,     0x7c00,     0x7e01,     0x3f000000, 0x3effffff, 0xbf000000, 0x3fc00000, 0xc0200000,
                            0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00001, 0x7fffffff, 0x80000000,
                            0x80000001, 0xffffffff, 0x12345678, 0x9abcdef0, 0x4b000001, 0xcb000001};
  uint32_t seed = 3;
  size_t compared = 0;
  for (uint32_t o = 0; o < static_cast<uint32_t>(Op::count_); ++o) {
    const Op op = static_cast<Op>(o);
    if (!has_trait(op, kPure)) continue;  // what lanes exchange, eval cannot say
    for (uint32_t t = 0; t < 5 * 12; ++t) {
      const ScalarKind s = static_cast<ScalarKind>(t % 12);
      const TargetExpansion row = target_expansion(op, static_cast<ExpandTarget>(t / 12), s);
      if (row.expansion == nullptr) continue;
      const std::vector<TypeId> operands(static_cast<size_t>(op_row(op).operands), types.scalar(s));
      std::vector<TypeId> results(static_cast<size_t>(op_row(op).results));
      Bindings b;
      if (!bind_operands(types, op, operands, b) || !op_result_types(types, op, operands, results)) continue;
      for (int i = 0; i < 400; ++i) {
        std::vector<ConstId> args, got;
        for (TypeId type : operands) {
          seed = seed * 1664525u + 1013904223u;
          const uint64_t bits = (seed >> 8) % 3 == 0 ? seed : edges[(seed >> 10) % std::size(edges)];
          args.push_back(types.constant_bits(type, bits));
        }
        ASSERT_TRUE(fold_expansion(types, *row.expansion, b, args, got)) << op_row(op).name;
        for (uint32_t r = 0; r < results.size(); ++r) {
          ASSERT_EQ(types.constant(got[r]).bits, types.constant(fold(types, op, results[r], args, 0, r)).bits)
              << op_row(op).name << " " << std::hex << types.constant(args[0]).bits;
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 5000u);
}

TEST(Builtins, Values) {
  TypeTable t;
  EXPECT_EQ(bits_of(t, Lang::hlsl, "saturate", {f32(t, 2.0f)}), eval::f32_bits(1.0f));
  EXPECT_EQ(bits_of(t, Lang::glsl, "mod", {f32(t, -1.0f), f32(t, 3.0f)}), eval::f32_bits(2.0f));
  EXPECT_EQ(bits_of(t, Lang::hlsl, "fmod", {f32(t, -1.0f), f32(t, 3.0f)}), eval::f32_bits(-1.0f));
  EXPECT_EQ(bits_of(t, Lang::hlsl, "firstbithigh", {t.constant_u32(0x10000000)}), 28u);
  EXPECT_EQ(bits_of(t, Lang::hlsl, "firstbithigh", {t.constant_bits(TypeId::u16, 0)}), 0xffffffffu);
  EXPECT_EQ(bits_of(t, Lang::glsl, "findMSB", {t.constant_i32(-1)}), 0xffffffffu);
  EXPECT_EQ(bits_of(t, Lang::glsl, "min", {t.constant_i32(-1), t.constant_i32(1)}), 0xffffffffu);
  EXPECT_EQ(bits_of(t, Lang::glsl, "min", {t.constant_u32(0xffffffff), t.constant_u32(1)}), 1u);
  EXPECT_EQ(bits_of(t, Lang::glsl, "packHalf2x16", {t.splat(t.vector(ScalarKind::f32, 2), f32(t, 1.0f))}), 0x3c003c00u);
  EXPECT_EQ(bits_of(t, Lang::hlsl, "asuint", {f32(t, 1.0f)}), 0x3f800000u);
  EXPECT_EQ(bits_of(t, Lang::hlsl, "sign", {f32(t, -2.0f)}), 0xffffffffu);
  EXPECT_EQ(bits_of(t, Lang::hlsl, "isnormal", {t.constant_bits(TypeId::f32, 1)}), 0u);
  EXPECT_EQ(bits_of(t, Lang::hlsl, "pack_clamp_s8", {t.splat(t.vector(ScalarKind::i32, 4), t.constant_i32(-1000))}),
            0x80808080u);
  const std::vector<ConstId> r = call(t, Lang::glsl, "umulExtended", {t.constant_u32(0xffffffff), t.constant_u32(2)});
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(t.constant(r[0]).bits, 1u);  // msb first
  EXPECT_EQ(t.constant(r[1]).bits, 0xfffffffeu);
}

TEST(Builtins, Msad4) {
  TypeTable t;
  const auto vec = [&](std::vector<uint32_t> v) {
    std::vector<ConstId> parts;
    for (uint32_t x : v) parts.push_back(t.constant_u32(x));
    return t.constant_composite(t.vector(ScalarKind::u32, static_cast<uint32_t>(v.size())), parts);
  };
  const uint32_t reference = 0xa100b2c3, low = 0xd7b0c372, high = 0x4f57c2a3;
  const uint32_t sum[4] = {1, 2, 3, 4};
  const std::vector<ConstId> r = call(t, Lang::hlsl, "msad4", {t.constant_u32(reference), vec({low, high}), vec({1, 2, 3, 4})});
  ASSERT_EQ(r.size(), 1u);
  const uint64_t source = static_cast<uint64_t>(high) << 32 | low;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t want = sum[i];
    for (uint32_t j = 0; j < 4; ++j) {
      const int a = static_cast<int>(reference >> (8 * j) & 255), b = static_cast<int>(source >> (8 * i + 8 * j) & 255);
      if (a != 0) want += static_cast<uint32_t>(a < b ? b - a : a - b);
    }
    EXPECT_EQ(t.constant(t.part_of(r[0], i)).bits, want);
  }
}

TEST(Builtins, TexturesUnify) {
  TypeTable t;
  const TypeId tex = t.texture(Dim::d2, ScalarKind::f32, kImageArrayed);
  const TypeId combined = t.combined(tex);
  size_t found = 0;
  for (const Form& form : find_forms(Lang::glsl, "texture")) {
    Bindings b;
    if (!unify(t, params(form)[0].type, combined, b) || !first_bindings(form, kAllScalars, b)) continue;
    ++found;
    EXPECT_EQ(instantiate(t, params(form)[1].type, b), t.vector(ScalarKind::f32, 3));
    EXPECT_EQ(instantiate(t, form.result, b), t.vector(ScalarKind::f32, 4));
    EXPECT_EQ(hook_name(static_cast<Hook>(action(form, b).index)), "sample");
  }
  EXPECT_EQ(found, 1u);
  for (const Form& form : find_methods("Load")) {
    Bindings b;
    if (!unify(t, form.owner, tex, b) || !first_bindings(form, kAllScalars, b)) continue;
    EXPECT_EQ(instantiate(t, params(form)[0].type, b), t.vector(ScalarKind::i32, 4));
    EXPECT_EQ(instantiate(t, form.result, b), t.vector(ScalarKind::f32, 4));
  }
}

TEST(Builtins, OpResultTypes) {
  TypeTable t;
  TypeId r[2];
  const TypeId v3 = t.vector(ScalarKind::f32, 3);
  const TypeId two[] = {v3, v3};
  EXPECT_TRUE(op_result_types(t, Op::dot, two, {r, 1}));
  EXPECT_EQ(r[0], TypeId::f32);
  EXPECT_TRUE(op_result_types(t, Op::frexp, {two, 1}, r));
  EXPECT_EQ(r[1], t.vector(ScalarKind::i32, 3));
  EXPECT_TRUE(op_result_types(t, Op::outer_product, two, {r, 1}));
  EXPECT_EQ(r[0], t.matrix(ScalarKind::f32, 3, 3));
  const TypeId mixed[] = {v3, TypeId::f32};
  EXPECT_FALSE(op_result_types(t, Op::dot, mixed, {r, 1}));
  EXPECT_EQ(spelling(Op::sqrt).glsl450, 31u);
  EXPECT_EQ(spelling(Op::load).spirv, 0u);
}

TEST(Fold, Composites) {
  TypeTable t;
  const TypeId v2 = t.vector(ScalarKind::u32, 2);
  const ConstId parts[] = {t.constant_u32(7), t.constant_u32(9)};
  const ConstId v = fold(t, Op::make, v2, parts);
  ASSERT_TRUE(v);
  const ConstId elem[] = {v, t.constant_u32(1)}, out[] = {v, t.constant_u32(2)},
                with[] = {v, t.constant_i32(0), t.constant_u32(5)};
  EXPECT_EQ(fold(t, Op::elem, TypeId::u32, elem), parts[1]);
  EXPECT_FALSE(fold(t, Op::elem, TypeId::u32, out));
  EXPECT_EQ(t.part_of(fold(t, Op::with, v2, with), 0), t.constant_u32(5));
  const ConstId both[] = {v, v};
  EXPECT_EQ(t.part_of(fold(t, Op::shuffle, v2, both, 0x21), 0), parts[1]);
  EXPECT_EQ(t.constant(fold(t, Op::bitcast, TypeId::u64, {&v, 1})).bits, 9ull << 32 | 7);
  EXPECT_EQ(fold(t, Op::add, v2, both), fold(t, Op::mul, v2, std::vector<ConstId>{v, t.splat(v2, t.constant_u32(2))}));
  EXPECT_FALSE(fold(t, Op::load, TypeId::u32, {&v, 1}));
}

TEST(Fold, Matrices) {
  TypeTable t;
  const TypeId m2 = t.matrix(ScalarKind::f32, 2, 2), v2 = t.vector(ScalarKind::f32, 2);
  const auto vec = [&](float x, float y) {
    const ConstId p[] = {t.constant_f32(x), t.constant_f32(y)};
    return t.constant_composite(v2, p);
  };
  const ConstId columns[] = {vec(1, 2), vec(3, 4)};
  const ConstId m = t.constant_composite(m2, columns), v = vec(5, 6);
  EXPECT_EQ(fold(t, Op::mat_vec, v2, std::vector<ConstId>{m, v}), vec(1 * 5 + 3 * 6, 2 * 5 + 4 * 6));
  EXPECT_EQ(fold(t, Op::vec_mat, v2, std::vector<ConstId>{v, m}), vec(1 * 5 + 2 * 6, 3 * 5 + 4 * 6));
  EXPECT_EQ(fold(t, Op::determinant, TypeId::f32, {&m, 1}), t.constant_f32(-2.0f));
  const ConstId inverse = fold(t, Op::inverse, m2, {&m, 1});
  const ConstId identity[] = {vec(1, 0), vec(0, 1)};
  EXPECT_EQ(fold(t, Op::mat_mul, m2, std::vector<ConstId>{m, inverse}), t.constant_composite(m2, identity));
  EXPECT_EQ(t.part_of(fold(t, Op::transpose, m2, {&m, 1}), 0), vec(1, 3));
}

}  // namespace
}  // namespace carry
