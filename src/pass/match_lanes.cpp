/// Which lanes hold the same value: rounds in which the first lane that is left shows its value; those that hold it know their
/// group by a ballot and leave. The first lane leaves in any case: NaN equals no lane, not even its own.
///   before  %m = subgroup_match %x
///   after   loop { %f = subgroup_broadcast_first %x   %same = eq %x, %f   store %v, (subgroup_ballot %same)
///                  if %same or subgroup_elect { break } ... }   %m = load %v
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

class MatchLanes : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op != Op::subgroup_match) return false;
    const ValueId x = operand(inst, 0);
    const TypeId type = type_of(x);
    const TypeId mask = result_type(inst);
    const ValueId group = b().var(mask);
    const ir::RegionId body = b().open_region();
    const ValueId first = b().emit(Op::subgroup_broadcast_first, type, {x});
    ValueId same = b().binary(is_float(types().scalar_of(type)) ? Op::feq : Op::eq, x, first);
    if (types().is_vector(type)) same = b().emit(Op::all, TypeId::bool_, {same});
    b().store(group, b().emit(Op::subgroup_ballot, mask, {same}));
    const ValueId is_first = b().emit(Op::subgroup_elect, TypeId::bool_, std::span<const ValueId>());
    const ValueId done = b().binary(Op::or_, same, is_first);
    b().open_region();
    b().terminator(Op::break_);
    const ir::RegionId leave = b().close_region();
    b().open_region();
    b().yield();
    const ir::RegionId branches[] = {leave, b().close_region()};
    b().emit_full(Op::if_, {}, std::span<const ValueId>(&done, 1), branches);
    b().terminator(Op::continue_);
    b().close_region();
    b().open_region();
    b().terminator(Op::next);
    const ir::RegionId regions[] = {body, b().close_region()};
    b().emit_full(Op::loop, {}, {}, regions);
    replace(inst, 0, b().load(group));
    return true;
  }
};

}  // namespace

void match_lanes(PassContext& context) { MatchLanes(context.module).run(); }

}  // namespace carry::pass
