#include "pass/lane_loops.h"

namespace carry::pass {

using ir::Builder;
using ir::BuiltinVar;
using ir::RegionId;
using ir::ValueId;

namespace {

constexpr auto kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);

ValueId input(Builder& b, BuiltinVar builtin) {
  ir::Module& m = b.module();
  for (ir::GlobalId id : m.global_order) {
    const ir::Global& g = m.globals[id];
    if (g.kind == ir::GlobalKind::variable && g.space == Space::in && g.builtin == builtin) return b.load(ValueId::global(id));
  }
  ir::Global g;
  g.name = m.names().intern(ir::builtin_var_name(builtin));
  g.space = Space::in;
  g.builtin = builtin;
  g.value_type = TypeId::u32;
  return b.load(ValueId::global(m.add_global(std::move(g))));
}

}  // namespace

ValueId lane_number(Builder& b) { return input(b, BuiltinVar::subgroup_invocation_id); }

ValueId lane_count(Builder& b) { return input(b, BuiltinVar::subgroup_size); }

ValueId active_lanes(Builder& b) {
  return b.emit(Op::subgroup_ballot, b.module().types().vector(ScalarKind::u32, 4), {b.const_bool(true)});
}

ValueId bit_of(Builder& b, ValueId ballot, ValueId index) {
  const ValueId word = b.elem_dynamic(ballot, b.binary(Op::lshr, index, b.const_u32(5), kRaw));
  const ValueId moved = b.binary(Op::lshr, word, b.binary(Op::and_, index, b.const_u32(31)), kRaw);
  return b.binary(Op::ne, b.binary(Op::and_, moved, b.const_u32(1)), b.const_u32(0));
}

LaneLoop::LaneLoop(Builder& b, ValueId count) : b_(b), counter_(b.var(TypeId::u32, b.const_u32(0))) {
  body_ = b.open_region();
  round_ = b.load(counter_);
  const ValueId go_on = b.binary(Op::ult, round_, count);
  b.open_region();
  b.yield();
  const RegionId stay = b.close_region();
  b.open_region();
  b.terminator(Op::break_);
  const RegionId branches[] = {stay, b.close_region()};
  b.emit_full(Op::if_, {}, std::span<const ValueId>(&go_on, 1), branches);
}

void LaneLoop::close() {
  b_.store(counter_, b_.binary(Op::add, round_, b_.const_u32(1)));
  b_.terminator(Op::continue_);
  b_.close_region();
  b_.open_region();
  b_.terminator(Op::next);
  const RegionId regions[] = {body_, b_.close_region()};
  b_.emit_full(Op::loop, {}, {}, regions);
}

}  // namespace carry::pass
