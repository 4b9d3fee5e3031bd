// Built-in functions.
#include "write/msl/state.h"
#include "write/text/named_calls.h"
#include "write/text/spelled.h"

namespace carry::write::msl {

using ir::Inst;

namespace {

/// Operations that are a function call with the same operands, besides those of `text::kCommonCalls`.
constexpr text::NamedCall kCalls[] = {{Op::bit_count, "popcount"},
                                      {Op::reverse_bits, "reverse_bits"},
                                      {Op::extract_bits_s, "extract_bits"},
                                      {Op::extract_bits_u, "extract_bits"},
                                      {Op::insert_bits, "insert_bits"},
                                      {Op::fmin, "fmin"},
                                      {Op::fmax, "fmax"},
                                      {Op::frem, "fmod"},
                                      {Op::inverse_sqrt, "rsqrt"},
                                      {Op::round, "round"},
                                      {Op::round_even, "rint"},
                                      {Op::is_nan, "isnan"},
                                      {Op::is_inf, "isinf"},
                                      {Op::faceforward, "faceforward"},
                                      {Op::pack_snorm4x8, "pack_float_to_snorm4x8"},
                                      {Op::unpack_snorm4x8, "unpack_snorm4x8_to_float"},
                                      {Op::pack_unorm4x8, "pack_float_to_unorm4x8"},
                                      {Op::unpack_unorm4x8, "unpack_unorm4x8_to_float"},
                                      {Op::pack_snorm2x16, "pack_float_to_snorm2x16"},
                                      {Op::unpack_snorm2x16, "unpack_snorm2x16_to_float"},
                                      {Op::pack_unorm2x16, "pack_float_to_unorm2x16"},
                                      {Op::unpack_unorm2x16, "unpack_unorm2x16_to_float"},
                                      {Op::dpdx, "dfdx"},
                                      {Op::dpdy, "dfdy"},
                                      {Op::dpdx_fine, "dfdx"},
                                      {Op::dpdy_fine, "dfdy"},
                                      {Op::fwidth_fine, "fwidth"},
                                      {Op::dpdx_coarse, "dfdx"},
                                      {Op::dpdy_coarse, "dfdy"},
                                      {Op::fwidth_coarse, "fwidth"}};

bool is_spelled(Op op) {
  const OpRow& row = op_row(op);
  if (row.traits & (kControl | kTerminator)) return op != Op::fallthrough;
  if (row.traits & kAtomic) return op != Op::atomic_cas && op != Op::atomic_fmin && op != Op::atomic_fmax;
  if (row.traits & kImage) return true;
  if ((row.traits & kLanes) && !(row.traits & kDerivative)) return is_subgroup_spelling(op);
  if (!text::call_name(kCalls, op).empty()) return true;
  switch (op) {
    case Op::at_byte:
    case Op::texel:
    case Op::is_helper:
    case Op::umul_extended:
    case Op::smul_extended:
    case Op::abs_s:
    case Op::sign_s:
    case Op::find_msb_u:
    case Op::find_msb_s:
    case Op::find_lsb:
    case Op::fsign:
    case Op::fract:
    case Op::f32_to_f16_word:
    case Op::f16_word_to_f32:
    case Op::pack_half2x16:
    case Op::unpack_half2x16: return true;
    default: return text::is_core_operation(op);
  }
}

}  // namespace

ir::InstId first_unwritable(const ir::Module& module) { return text::first_unspelled(module, is_spelled); }

/// Functions on the bits of integers and halves that take more than a call.
Expr Writer::bits(const Inst& inst) {
  const TypeId to = result_type(inst);
  const std::string x = arg(m_.operand(inst, 0));
  const ScalarKind s = m_.types().scalar_of(to);
  const uint32_t n = m_.types().component_count(to);
  const std::string top = type(to) + "(" + std::to_string(scalar_bits(s) == 0 ? 31 : scalar_bits(s) - 1) + ")";
  const std::string narrow_word = type(m_.types().vector(ScalarKind::u16, n));
  const std::string half_type = type(m_.types().vector(ScalarKind::f16, n));
  switch (inst.op) {
    case Op::find_msb_u: return {"(" + top + " - clz(" + x + "))"};  // clz(0) is the width, so that 0 gives -1
    case Op::find_msb_s: return {"(" + top + " - clz(" + x + " ^ (" + x + " >> " + top + ")))"};
    case Op::find_lsb: {
      const std::string none = type(to) + "(-1)";
      return {"select(ctz(" + x + "), " + none + ", " + x + " == " + type(to) + "(0))"};
    }
    case Op::abs_s: {
      // abs(INT_MIN) is undefined in C++; the contract wraps.
      const std::string bits_type = type(m_.types().with_scalar(to, to_unsigned(s)));
      const std::string zero = scalar_constant(to_unsigned(s), 0).text;
      if (scalar_bits(s) < 32 && n == 1) return {"select(" + x + ", " + type(to) + "(0u - uint(" + x + ")), " + x + " < 0)"};
      return {"select(" + x + ", as_type<" + type(to) + ">(" + zero + " - as_type<" + bits_type + ">(" + x + ")), " + x +
              " < " + type(to) + "(0))"};
    }
    case Op::f32_to_f16_word: return {type(to) + "(as_type<" + narrow_word + ">(" + half_type + "(" + x + ")))"};
    case Op::f16_word_to_f32: return {type(to) + "(as_type<" + half_type + ">(" + narrow_word + "(" + x + ")))"};
    case Op::pack_half2x16: return {"as_type<uint>(half2(" + x + "))"};
    default: return {"float2(as_type<half2>(" + x + "))"};  // unpack_half2x16
  }
}

Expr Writer::clamp(const Inst& inst, std::string_view min, std::string_view max) {
  return {text::clamped(min, max, arg(m_.operand(inst, 0)), arg(m_.operand(inst, 1)), arg(m_.operand(inst, 2)))};
}

Expr Writer::builtin(const Inst& inst) {
  const bool scalar = inst.operands.count != 0 && m_.types().is_scalar(type_of(m_.operand(inst, 0)));
  switch (inst.op) {
    case Op::find_msb_u:
    case Op::find_msb_s:
    case Op::find_lsb:
    case Op::abs_s:
    case Op::f32_to_f16_word:
    case Op::f16_word_to_f32:
    case Op::pack_half2x16:
    case Op::unpack_half2x16: return bits(inst);
    case Op::sign_s: {
      const std::string id = type(result_type(inst));
      return {"min(max(" + arg(m_.operand(inst, 0)) + ", " + id + "(-1)), " + id + "(1))"};
    }
    case Op::sclamp:
    case Op::uclamp: return clamp(inst, "min", "max");
    case Op::fclamp: return clamp(inst, "fmin", "fmax");
    case Op::dot:
      if (scalar) return binary(inst, "*", Prec::multiply);
      break;
    case Op::length:
      if (scalar) return call_text("abs", inst);
      break;
    case Op::distance:
      if (scalar) return {"abs(" + binary(inst, "-", Prec::add).text + ")"};
      break;
    case Op::normalize:
      if (scalar) return call_text("sign", inst);
      break;
    case Op::fsign: {  // `sign(-0.0)` of Metal is -0.0
      const std::string t = type(result_type(inst)), x = arg(m_.operand(inst, 0));
      return {"select(sign(" + x + "), " + t + "(0), " + x + " == " + t + "(0))"};
    }
    case Op::fract: {  // `fract` of Metal stays below 1, for NaN too
      Expr x = value(m_.operand(inst, 0));
      const std::string whole = "floor(" + x.text + ")";
      return {operand(std::move(x), Prec::add) + " - " + whole, Prec::add};
    }
    case Op::any:
    case Op::all:
      if (scalar) return value(m_.operand(inst, 0));
      break;
    default: break;
  }
  if (const std::string_view name = text::call_name(kCalls, inst.op); !name.empty()) return call_text(name, inst);
  CARRY_CHECK(false);  // the target row says that it lacks this op: expand_ops removed it
  return call_text(op_row(inst.op).name, inst);
}

}  // namespace carry::write::msl
