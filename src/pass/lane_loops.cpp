#include "pass/lane_loops.h"

namespace carry::pass {

using ir::Builder;
using ir::BuiltinVar;
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

}  // namespace carry::pass
