/// Gives the operators of a target the contract's result for every input (semantics.md 4.2, 4.3): variants that the target's
/// own operator does not have become `.raw` and selects. No guard where a constant operand needs none.
///   before  %q = udiv.x0 %a, %b
///   after   %z = eq %b, 0u   %d = select %z, 1u, %b   %q = udiv.raw %a, %d
#include "ir/rewriter.h"
#include "pass/build.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Feature;
using ir::Inst;
using ir::ValueId;

constexpr uint32_t kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);
constexpr uint32_t kX0 = static_cast<uint32_t>(ArithmeticVariant::x0);
constexpr uint32_t kOnes = static_cast<uint32_t>(ArithmeticVariant::ones);

/// Layout of a float format, for the limits of conversions.
struct FloatFormat {
  uint32_t width;
  uint32_t mantissa;  // stored bits
  uint32_t bias;
  [[nodiscard]] uint64_t infinity() const { return ((uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa; }
  [[nodiscard]] uint64_t sign() const { return uint64_t{1} << (width - 1); }
  /// 2^e, or infinity when it is too large.
  [[nodiscard]] uint64_t power(uint32_t e) const { return e > bias ? infinity() : uint64_t{e + bias} << mantissa; }
};

FloatFormat format_of(ScalarKind s) {
  if (s == ScalarKind::f16) return {16, 10, 15};
  return s == ScalarKind::f32 ? FloatFormat{32, 23, 127} : FloatFormat{64, 52, 1023};
}

class ExpandGuards : public ir::Rewriter {
 public:
  explicit ExpandGuards(PassContext& context) : Rewriter(context.module), config_(context.config) {}

 protected:
  bool visit(const Inst& inst) override {
    if (!has_trait(inst.op, kVariant)) return false;
    switch (inst.op) {
      case Op::shl:
      case Op::lshr:
      case Op::ashr: return shift(inst);
      case Op::udiv:
      case Op::urem: return unsigned_division(inst);
      case Op::sdiv:
      case Op::srem:
      case Op::smod: return signed_division(inst);
      case Op::f_to_s:
      case Op::f_to_u: return float_to_int(inst);
      default: return bit_field(inst);
    }
  }

 private:
  [[nodiscard]] bool lacks(Feature f) const { return config_.lacks.has(f); }

  ValueId emit(const Inst& inst, std::initializer_list<ValueId> operands, uint32_t variant) {
    return b().emit(inst.op, result_type(inst), operands, variant, inst.flags);
  }

  bool shift(const Inst& inst) {
    if (inst.payload == kRaw || !lacks(Feature::shift_total)) return false;
    const ValueId value = operand(inst, 0);
    ValueId count = operand(inst, 1);
    const uint32_t width = width_of(m(), type_of(value));
    const bool in_range = all_components(m(), count, [&](uint64_t bits) { return bits < width; });
    if (!in_range) count = b().binary(Op::and_, count, bits_like(b(), type_of(count), width - 1));
    replace(inst, 0, emit(inst, {value, count}, kRaw));
    return true;
  }

  bool never_zero(ValueId v) {
    return all_components(m(), v, [](uint64_t bits) { return bits != 0; });
  }

  bool unsigned_division(const Inst& inst) {
    if (inst.payload == kRaw) return false;
    const bool ones = inst.payload == kOnes;
    if (!lacks(ones ? Feature::udiv_ones : Feature::udiv_x0)) return false;
    const ValueId a = operand(inst, 0);
    const ValueId divisor = operand(inst, 1);
    if (never_zero(divisor)) {
      replace(inst, 0, emit(inst, {a, divisor}, lacks(Feature::udiv_x0) ? kRaw : kX0));
      return true;
    }
    const TypeId type = type_of(a);
    const ValueId zero = b().binary(Op::eq, divisor, bits_like(b(), type, 0));
    ValueId result;
    if (lacks(Feature::udiv_x0)) {
      // 1 in place of 0 gives x / 1 = x and x % 1 = 0: what `.x0` wants.
      const ValueId safe = b().select(zero, bits_like(b(), type, 1), divisor);
      result = emit(inst, {a, safe}, kRaw);
    } else {
      result = emit(inst, {a, divisor}, kX0);
    }
    if (ones) result = b().select(zero, ones_like(b(), type), result);
    replace(inst, 0, result);
    return true;
  }

  /// The divisor, 1 where it is 0 or would overflow with the dividend.
  ValueId safe_signed(ValueId a, ValueId divisor) {
    const TypeId type = type_of(a);
    const uint64_t minimum = uint64_t{1} << (width_of(m(), type) - 1);
    if (all_components(m(), divisor, [&](uint64_t bits) { return bits != 0 && bits != (minimum << 1) - 1; })) return divisor;
    const ValueId zero = b().binary(Op::eq, divisor, bits_like(b(), type, 0));
    const ValueId minus_one = b().binary(Op::eq, divisor, ones_like(b(), type));
    const ValueId smallest = b().binary(Op::eq, a, bits_like(b(), type, minimum));
    const ValueId overflow = b().binary(Op::and_, minus_one, smallest);
    const ValueId unsafe = b().binary(Op::or_, zero, overflow);
    return b().select(unsafe, bits_like(b(), type, 1), divisor);
  }

  ValueId remainder(ValueId a, ValueId divisor, uint32_t variant) {
    if (variant == kRaw && lacks(Feature::srem_raw)) {
      const ValueId quotient = b().binary(Op::sdiv, a, divisor, kRaw);
      return b().binary(Op::sub, a, b().binary(Op::mul, quotient, divisor));
    }
    return b().binary(Op::srem, a, divisor, variant);
  }

  /// OpSMod's value from the truncated one: the divisor is added where the signs differ.
  ValueId floored(ValueId rest, ValueId divisor) {
    const TypeId type = type_of(rest);
    const ValueId zero = bits_like(b(), type, 0);
    const ValueId some = b().binary(Op::ne, rest, zero);
    const ValueId differ = b().binary(Op::slt, b().binary(Op::xor_, rest, divisor), zero);
    const ValueId fix = b().binary(Op::and_, some, differ);
    return b().select(fix, b().binary(Op::add, rest, divisor), rest);
  }

  bool signed_division(const Inst& inst) {
    const bool ones = inst.payload == kOnes;
    const bool raw = inst.payload == kRaw;
    const bool expand_mod = inst.op == Op::smod && lacks(Feature::smod);
    const bool expand_rem = inst.op == Op::srem && raw && lacks(Feature::srem_raw);
    const bool guard = !raw && lacks(ones ? Feature::sdiv_ones : Feature::sdiv_x0);
    if (!expand_mod && !expand_rem && !guard) return false;
    const ValueId a = operand(inst, 0);
    const ValueId divisor = operand(inst, 1);
    ValueId safe = divisor;
    uint32_t variant = inst.payload;
    if (!raw && lacks(Feature::sdiv_x0)) {
      safe = safe_signed(a, divisor);
      variant = kRaw;
    } else if (guard) {
      variant = kX0;
    }
    ValueId result;
    if (inst.op == Op::sdiv) {
      result = emit(inst, {a, safe}, variant);
    } else {
      result = remainder(a, safe, variant);
      // x % 1 is 0 where the divisor was replaced, and 0 needs no correction.
      if (inst.op == Op::smod) result = expand_mod ? floored(result, safe) : emit(inst, {a, safe}, variant);
    }
    if (guard && ones && !never_zero(divisor)) {
      const TypeId type = type_of(a);
      result = b().select(b().binary(Op::eq, divisor, bits_like(b(), type, 0)), ones_like(b(), type), result);
    }
    replace(inst, 0, result);
    return true;
  }

  ValueId is_nan(ValueId x) {
    const TypeId type = type_of(x);
    const ScalarKind s = types().scalar_of(type);
    // Fast mathematics may take x != x for false, so the bits are asked; f64 has no integer of its size everywhere.
    if (s == ScalarKind::f64) return b().binary(Op::fne, x, x);
    const FloatFormat f = format_of(s);
    const TypeId words = types().with_scalar(type, s == ScalarKind::f16 ? ScalarKind::u16 : ScalarKind::u32);
    const ValueId bits = b().convert(Op::bitcast, words, x);
    const ValueId magnitude = b().binary(Op::and_, bits, bits_like(b(), words, f.sign() - 1));
    return b().binary(Op::ult, bits_like(b(), words, f.infinity()), magnitude);
  }

  bool float_to_int(const Inst& inst) {
    if (inst.payload == kRaw || !lacks(Feature::float_to_int_total)) return false;
    ValueId x = operand(inst, 0);
    if (types().scalar_of(type_of(x)) == ScalarKind::f16) {
      // Every f16 is an f32, and that has an integer of its size on every target.
      x = b().convert(Op::f_to_f, types().with_scalar(type_of(x), ScalarKind::f32), x);
    }
    const TypeId from = type_of(x);
    const TypeId to = result_type(inst);
    const bool is_signed = inst.op == Op::f_to_s;
    const uint32_t width = width_of(m(), to);
    const FloatFormat f = format_of(types().scalar_of(from));
    const uint64_t limit = f.power(is_signed ? width - 1 : width);  // the first value past the largest integer
    const uint64_t lowest = is_signed ? limit | f.sign() : 0;
    const ValueId clamped = b().emit(Op::fclamp, from, {x, bits_like(b(), from, lowest), bits_like(b(), from, limit - 1)});
    ValueId result = b().convert(inst.op, to, clamped, kRaw);
    const uint64_t largest = is_signed ? (uint64_t{1} << (width - 1)) - 1 : ~uint64_t{0};
    const ValueId too_large = b().binary(Op::fle, bits_like(b(), from, limit), x);
    result = b().select(too_large, bits_like(b(), to, largest), result);
    replace(inst, 0, b().select(is_nan(x), bits_like(b(), to, 0), result));
    return true;
  }

  bool bit_field(const Inst& inst) {
    if (inst.payload == kRaw || !lacks(Feature::bits_total)) return false;
    std::vector<ValueId> operands = mapped_operands(inst);
    const uint32_t width = width_of(m(), result_type(inst));
    ValueId& offset = operands[operands.size() - 2];
    ValueId& count = operands[operands.size() - 1];
    uint64_t end = 0;
    const auto add = [&](uint64_t bits) {
      end += bits;
      return bits <= width;
    };
    if (!all_components(m(), offset, add) || !all_components(m(), count, add) || end > width) {
      offset = b().binary(Op::umin, offset, b().const_u32(width));
      count = b().binary(Op::umin, count, b().binary(Op::sub, b().const_u32(width), offset));
    }
    replace(inst, 0, b().emit(inst.op, result_type(inst), operands, kRaw, inst.flags));
    return true;
  }

  const PassConfig& config_;
};

}  // namespace

void expand_guards(PassContext& context) { ExpandGuards(context).run(); }

}  // namespace carry::pass
