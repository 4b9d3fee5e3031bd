#include "pass/loops.h"

namespace carry::pass {

using ir::RegionId;
using ir::ValueId;

RegionId OpenLoop::region_of(Op terminator) {
  b_.open_region();
  b_.terminator(terminator);
  return b_.close_region();
}

void OpenLoop::leave_if(ValueId done) {
  const RegionId leave = region_of(Op::break_);
  const RegionId branches[] = {leave, region_of(Op::yield)};
  b_.emit_full(Op::if_, {}, std::span<const ValueId>(&done, 1), branches);
}

void OpenLoop::leave_unless(ValueId go_on) {
  const RegionId stay = region_of(Op::yield);
  const RegionId branches[] = {stay, region_of(Op::break_)};
  b_.emit_full(Op::if_, {}, std::span<const ValueId>(&go_on, 1), branches);
}

void OpenLoop::close() {
  b_.terminator(Op::continue_);
  b_.close_region();
  const RegionId regions[] = {body_, region_of(Op::next)};
  b_.emit_full(Op::loop, {}, {}, regions);
}

CountedLoop::CountedLoop(ir::Builder& b, ValueId count)
    : b_(b), counter_(b.var(TypeId::u32, b.const_u32(0))), loop_(b), round_(b.load(counter_)) {
  loop_.leave_unless(b.binary(Op::ult, round_, count));
}

void CountedLoop::close() {
  b_.store(counter_, b_.binary(Op::add, round_, b_.const_u32(1)));
  loop_.close();
}

}  // namespace carry::pass
