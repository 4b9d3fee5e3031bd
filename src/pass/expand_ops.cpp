/// Computes operations that the target does not have from others: add with carry and extended multiply by the exact sequences
/// of semantics.md 3.4, the others by the `to ... expand` of their block in src/ops/builtins.
///   before  %s, %c = uadd_carry %x, %y
///   after   %s = add %x, %y   %c = ult %s, %x
#include "ir/expansion.h"
#include "ir/rewriter.h"
#include "pass/build.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Feature;
using ir::Inst;
using ir::ValueId;

class ExpandOps : public ir::Rewriter {
 public:
  explicit ExpandOps(PassContext& context) : Rewriter(context.module), config_(context.config) {}

 protected:
  bool visit(const Inst& inst) override {
    switch (inst.op) {
      case Op::uadd_carry: case Op::usub_borrow:
        return config_.lacks.has(Feature::carry_op) && carry(inst);
      case Op::umul_extended: case Op::smul_extended:
        return config_.lacks.has(Feature::mul_extended) && mul_extended(inst);
      default:
        return config_.expands.test(static_cast<size_t>(inst.op)) && expansion(inst);
    }
  }

 private:
  bool carry(const Inst& inst) {
    const ValueId x = operand(inst, 0);
    const ValueId y = operand(inst, 1);
    const bool adds = inst.op == Op::uadd_carry;
    const ValueId value = b().binary(adds ? Op::add : Op::sub, x, y);
    replace(inst, 0, value);
    replace(inst, 1, adds ? b().binary(Op::ult, value, x) : b().binary(Op::ult, x, y));
    return true;
  }

  /// High word of an unsigned product from half words; no step overflows.
  ValueId high_word(ValueId a, ValueId c) {
    const TypeId t = type_of(a);
    const uint32_t half = width_of(m(), t) / 2;
    const TypeId counts = types().with_scalar(t, ScalarKind::u32);
    const ValueId mask = bits_like(b(), t, (uint64_t{1} << half) - 1);
    const ValueId shift = bits_like(b(), counts, half);
    const auto high = [&](ValueId v) { return b().binary(Op::lshr, v, shift, static_cast<uint32_t>(ArithmeticVariant::raw)); };
    const auto low = [&](ValueId v) { return b().binary(Op::and_, v, mask); };
    const auto times = [&](ValueId v, ValueId w) { return b().binary(Op::mul, v, w); };
    const auto plus = [&](ValueId v, ValueId w) { return b().binary(Op::add, v, w); };
    const ValueId al = low(a);
    const ValueId ah = high(a);
    const ValueId cl = low(c);
    const ValueId ch = high(c);
    const ValueId t1 = plus(times(ah, cl), high(times(al, cl)));
    const ValueId middle = plus(times(al, ch), low(t1));
    return plus(plus(times(ah, ch), high(t1)), high(middle));
  }

  bool mul_extended(const Inst& inst) {
    const ValueId x = operand(inst, 0);
    const ValueId y = operand(inst, 1);
    const TypeId t = type_of(x);
    replace(inst, 0, b().binary(Op::mul, x, y));
    if (inst.op == Op::umul_extended) {
      replace(inst, 1, high_word(x, y));
      return true;
    }
    // Signed: the unsigned high word, less each factor where the other is negative.
    const TypeId u = types().with_scalar(t, to_unsigned(types().scalar_of(t)));
    const ValueId last = bits_like(b(), types().with_scalar(t, ScalarKind::u32), width_of(m(), t) - 1);
    const auto bits = [&](ValueId v) { return b().convert(Op::bitcast, u, v); };
    const auto sign = [&](ValueId v) { return bits(b().binary(Op::ashr, v, last, static_cast<uint32_t>(ArithmeticVariant::raw))); };
    const ValueId ux = bits(x);
    const ValueId uy = bits(y);
    ValueId high = high_word(ux, uy);
    high = b().binary(Op::sub, high, b().binary(Op::and_, sign(x), uy));
    high = b().binary(Op::sub, high, b().binary(Op::and_, sign(y), ux));
    replace(inst, 1, b().convert(Op::bitcast, t, high));
    return true;
  }

  bool expansion(const Inst& inst) {
    const builtins::Expansion* e = builtins::target_expansion(inst.op, config_.expand_target);
    if (e == nullptr) return false;
    const std::vector<ValueId> args = mapped_operands(inst);
    std::vector<TypeId> arg_types;
    for (ValueId v : args) arg_types.push_back(type_of(v));
    builtins::Bindings bindings;
    std::vector<ValueId> results;
    if (!builtins::bind_operands(types(), inst.op, arg_types, bindings)) return false;
    if (!ir::emit_expansion(b(), *e, bindings, args, results, inst.flags) || results.size() != inst.result_count) return false;
    for (uint32_t i = 0; i < inst.result_count; ++i) replace(inst, i, results[i]);
    return true;
  }

  const PassConfig& config_;
};

}  // namespace

void expand_ops(PassContext& context) { ExpandOps(context).run(); }

}  // namespace carry::pass
