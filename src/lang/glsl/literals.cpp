// GLSL and ESSL literals, semantics.md 1.1.
#include "lex/literals.h"
#include "base/number_text.h"
#include "check/checker.h"

namespace carry::check {
namespace {

bool fits_bits(uint64_t value, uint32_t bits) { return bits >= 64 || value >> bits == 0; }

}  // namespace

void Checker::glsl_int_literal(NodeId n) {
  const std::string_view t = token_text(n);
  const IntLiteral lit = read_int_literal(t);
  set_type(n, TypeId::i32);
  if (lit.bad_octal_digit) {
    const size_t at = t.find_first_of("89");
    diags_.emit(loc(n), diag::invalid_octal_digit, t.substr(at == std::string_view::npos ? 0 : at, 1), t);
    return void(fail(n));
  }
  if (lit.malformed() || lit.base == LiteralBase::binary || (lit.suffix_ll) ||
      (lit.suffix_l && lit.suffix_u && !lit.unsigned_first)) {
    diags_.emit(loc(n), diag::invalid_literal, t, lit.no_digits ? "digits are missing" : "unknown suffix");
    return void(fail(n));
  }
  TypeId type = lit.suffix_u ? TypeId::u32 : TypeId::i32;
  uint32_t bits = 32;
  if (lit.suffix_l) {
    const bool ext = has_ext("GL_ARB_gpu_shader_int64") || has_ext("GL_EXT_shader_explicit_arithmetic_types") ||
                     has_ext("GL_EXT_shader_explicit_arithmetic_types_int64");
    if (!ext) {
      missing({loc(n), {}}, t, {.extension = "GL_EXT_shader_explicit_arithmetic_types_int64"});
      return void(fail(n));
    }
    type = lit.suffix_u ? TypeId::u64 : TypeId::i64;
    bits = 64;
  } else if (lit.suffix_s) {
    const bool ext = has_ext("GL_EXT_shader_explicit_arithmetic_types") || has_ext("GL_AMD_gpu_shader_int16") ||
                     has_ext("GL_EXT_shader_explicit_arithmetic_types_int16");
    if (!ext) {
      missing({loc(n), {}}, t, {.extension = "GL_EXT_shader_explicit_arithmetic_types_int16"});
      return void(fail(n));
    }
    type = lit.suffix_u ? TypeId::u16 : TypeId::i16;
    bits = 16;
  } else if (lit.suffix_u && ((mode_.is_es() && mode_.glsl_version < 300) || (!mode_.is_es() && mode_.glsl_version < 130))) {
    missing({loc(n), {}}, t, {.version = static_cast<uint16_t>(mode_.is_es() ? 300 : 130)});
    return void(fail(n));
  }
  if (lit.overflow || !fits_bits(lit.value, bits)) {
    diags_.emit(loc(n), diag::literal_out_of_range, t, bits);
    return void(fail(n));
  }
  const bool top = bits == 32 && type == TypeId::i32 && (lit.value >> 31) != 0;
  if (top && !(literal_negated_ == n && lit.value == 0x80000000u)) {
    const bool decimal = lit.base == LiteralBase::decimal;
    const bool text_rule = !mode_.is_es() && mode_.glsl_version >= 130 && mode_.glsl_version < 420;
    if (decimal || (options_.strict_literals && text_rule)) {
      const auto value = static_cast<int32_t>(static_cast<uint32_t>(lit.value));
      diags_.emit(range(n), diag::literal_changes_sign, t, value).fix({loc(n), sources_.end_of(loc(n))}, std::string(t) + "u");
    }
  }
  set_type(n, type);
  set_value(n, types_.constant_bits(type, lit.value));
}

void Checker::float_literal(NodeId n) {
  const std::string_view t = token_text(n);
  const FloatLiteral lit = read_float_literal(t);
  if (lit.malformed) {
    diags_.emit(loc(n), diag::invalid_literal, t, "unknown suffix or bad digits");
    return void(fail(n));
  }
  uint64_t bits64 = 0x7FF0000000000000ull;
  uint32_t bits32 = 0x7F800000u;
  uint16_t bits16 = 0x7C00;
  if (!lit.infinity) {
    const bool ok = parse_f64(lit.digits, bits64) && parse_f32(lit.digits, bits32) && parse_f16(lit.digits, bits16);
    if (!ok) {
      diags_.emit(loc(n), diag::invalid_literal, t, "bad digits");
      return void(fail(n));
    }
  }
  TypeId type = TypeId::f32;
  switch (lit.kind) {
    case FloatSuffix::none: type = hlsl() ? TypeId::lit_float : TypeId::f32; break;
    case FloatSuffix::f: type = TypeId::f32; break;
    case FloatSuffix::lf:
    case FloatSuffix::l: type = TypeId::f64; break;
    case FloatSuffix::hf: type = TypeId::f16; break;
    case FloatSuffix::h: type = options_.native_16bit ? TypeId::f16 : TypeId::f32; break;
    case FloatSuffix::bad: break;
  }
  if (type == TypeId::lit_float && mode_.hlsl_version > 2021) type = TypeId::f32;
  set_type(n, type);
  const uint64_t bits = type == TypeId::f16 ? bits16 : type == TypeId::f32 ? bits32 : bits64;
  set_value(n, types_.constant_bits(type, bits));
}

}  // namespace carry::check
