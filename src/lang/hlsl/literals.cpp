// HLSL integer literals, semantics.md 1.2.
#include "lex/literals.h"
#include "check/checker.h"

namespace carry::check {
namespace {

TypeId first_that_fits(uint64_t v, bool hex, bool unsigned_only, bool wide) {
  if (!unsigned_only && !wide && v <= 0x7fffffffu) return TypeId::i32;
  if ((hex || unsigned_only) && !wide && v <= 0xffffffffu) return TypeId::u32;
  if (!unsigned_only && v <= 0x7fffffffffffffffull) return TypeId::i64;
  return hex || unsigned_only ? TypeId::u64 : TypeId::error;
}

}  // namespace

void Checker::hlsl_int_literal(NodeId n) {
  const std::string_view t = token_text(n);
  const IntLiteral lit = read_int_literal(t);
  if (lit.bad_octal_digit) {
    const size_t at = t.find_first_of("89");
    diags_.emit(loc(n), diag::invalid_octal_digit, t.substr(at == std::string_view::npos ? 0 : at, 1), t);
    return void(fail(n));
  }
  if (lit.malformed() || lit.suffix_s) {
    diags_.emit(loc(n), diag::invalid_literal, t, lit.no_digits ? "digits are missing" : "unknown suffix");
    return void(fail(n));
  }
  if (lit.overflow) {
    diags_.emit(loc(n), diag::literal_out_of_range, t, 64);
    return void(fail(n));
  }
  const bool hex = lit.base != LiteralBase::decimal;
  TypeId type = TypeId::lit_int;
  uint64_t value = lit.value;
  if (mode_.hlsl_version > 2021) {
    type = first_that_fits(value, hex, lit.suffix_u, lit.suffix_l || lit.suffix_ll);
    if (type == TypeId::error) {
      diags_.emit(loc(n), diag::literal_out_of_range, t, 63);
      return void(fail(n));
    }
  } else if (lit.suffix_ll) {
    type = lit.suffix_u ? TypeId::u64 : TypeId::i64;
  } else if (lit.suffix_u || lit.suffix_l) {
    type = lit.suffix_u || hex ? TypeId::u32 : TypeId::i32;
    if (value >> 32 != 0) {
      value &= 0xffffffffu;
      diags_.emit(range(n), diag::literal_cut, t, value);
    }
  }
  set_type(n, type);
  set_value(n, types_.constant_bits(type, value));
}

// DXC converts the `char` to uint at once.
void Checker::hlsl_char_literal(NodeId n) {
  const CharLiteral literal = read_char_literal(token_text(n));
  if (literal.fault != nullptr) {
    diags_.emit(range(n), diag::bad_character_literal, token_text(n), literal.fault);
    return void(fail(n));
  }
  set_type(n, TypeId::u32);
  set_value(n, types_.constant_u32(static_cast<uint32_t>(int32_t{literal.value})));
}

}  // namespace carry::check
