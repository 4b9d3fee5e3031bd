/// Which lanes hold the same value: rounds in which the first lane that is left shows its value; those that hold it know their
/// group by a ballot and leave. The first lane leaves in any case: NaN equals no lane, not even its own. Text targets do not
/// say where lanes that left a loop meet the others again: there all lanes ask for one lane's value after the other.
///   before  %m = subgroup_match %x
///   after   loop { %f = subgroup_broadcast_first %x   %same = eq %x, %f   store %v, (subgroup_ballot %same)
///                  if %same or subgroup_elect { break } ... }   %m = load %v
#include "ir/rewriter.h"
#include "pass/lane_loops.h"
#include "pass/loops.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

class MatchLanes : public ir::Rewriter {
 public:
  explicit MatchLanes(PassContext& context)
      : Rewriter(context.module), together_(context.config.lacks.has(ir::Feature::lane_op)) {}

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op != Op::subgroup_match) return false;
    const ValueId x = operand(inst, 0);
    replace(inst, 0, together_ ? one_by_one(x, result_type(inst)) : by_rounds(x, result_type(inst)));
    return true;
  }

 private:
  ValueId equal(ValueId x, ValueId y) {
    const TypeId type = type_of(x);
    const ValueId same = b().binary(is_float(types().scalar_of(type)) ? Op::feq : Op::eq, x, y);
    return types().is_vector(type) ? b().emit(Op::all, TypeId::bool_, {same}) : same;
  }

  ValueId one_by_one(ValueId x, TypeId mask) {
    const ValueId active = active_lanes(b());
    const ValueId group = b().var(mask, b().zero(mask));
    CountedLoop loop(b(), lane_count(b()));
    const ValueId i = loop.round();
    const ValueId value = b().emit(Op::subgroup_shuffle, type_of(x), {x, i});
    const ValueId same = equal(x, value);
    const ValueId counts = b().binary(Op::and_, bit_of(b(), active, i), same);
    constexpr auto kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);
    const ValueId bit = b().binary(Op::shl, b().const_u32(1), b().binary(Op::and_, i, b().const_u32(31)), kRaw);
    const ValueId word = b().binary(Op::lshr, i, b().const_u32(5), kRaw);
    ValueId words[4];
    for (uint32_t k = 0; k < 4; ++k) {
      const ValueId here = b().binary(Op::and_, counts, b().binary(Op::eq, word, b().const_u32(k)));
      words[k] = b().select(here, bit, b().const_u32(0));
    }
    const ValueId found = b().make(mask, words);
    b().store(group, b().binary(Op::or_, b().load(group), found));
    loop.close();
    return b().load(group);
  }

  ValueId by_rounds(ValueId x, TypeId mask) {
    const TypeId type = type_of(x);
    const ValueId group = b().var(mask);
    OpenLoop loop(b());
    const ValueId first = b().emit(Op::subgroup_broadcast_first, type, {x});
    const ValueId same = equal(x, first);
    b().store(group, b().emit(Op::subgroup_ballot, mask, {same}));
    const ValueId is_first = b().emit(Op::subgroup_elect, TypeId::bool_, std::span<const ValueId>());
    loop.leave_if(b().binary(Op::or_, same, is_first));
    loop.close();
    return b().load(group);
  }

  bool together_;
};

}  // namespace

void match_lanes(PassContext& context) { MatchLanes(context).run(); }

}  // namespace carry::pass
