#include "ops/expand.h"

#include <cstring>

#include "base/check.h"
#include "ops/eval/float_bits.h"

namespace carry::builtins {

namespace {

#include "ops/gen/expansions.inc"

struct TargetRow {
  Op op;
  ExpandTarget target;
  uint16_t scalars;
  bool by_component;
  uint16_t expansion;
};
constexpr TargetRow kTargetRows[] = {
#define TARGET_EXPANSION(op, target, scalars, by_component, index) {Op::op, ExpandTarget::target, scalars, by_component, index},
#include "ops/gen/target_expansions.inc"
#undef TARGET_EXPANSION
    {Op::count_, ExpandTarget::spirv, 0, false, 0}};

}  // namespace

std::span<const Expansion> expansions() { return kExpansions; }
std::span<const ExpandInst> insts(const Expansion& e) { return {kExpandInsts + e.first_inst, e.inst_count}; }
ExpandRef operand(const ExpandInst& inst, uint32_t i) { return expand_ref(kExpandRefs[inst.first_operand + i]); }
ExpandRef result(const Expansion& e, uint32_t i) { return expand_ref(kExpandRefs[e.first_result + i]); }
const ExpandLiteral& literal(uint16_t index) { return kExpandLiterals[index]; }

ConstId literal_constant(TypeTable& types, const ExpandLiteral& literal, const Bindings& b) {
  const TypeId type = instantiate(types, literal.type, b);
  const ScalarKind s = types.scalar_of(type);
  const uint64_t bits = is_float(s) ? eval::float_bits(s, literal.number) : static_cast<uint64_t>(literal.integer);
  const ConstId scalar = types.constant_bits(types.scalar(s), bits);
  return types.is_scalar(type) ? scalar : types.splat(type, scalar);
}

TargetExpansion target_expansion(Op op, ExpandTarget target, ScalarKind scalar) {
  for (const TargetRow& row : kTargetRows) {
    if (row.op != op || row.target != target) continue;
    if (row.scalars == 0 || (row.scalars & scalar_bit(scalar)) != 0) return {&kExpansions[row.expansion], row.by_component};
  }
  return {};
}

}  // namespace carry::builtins
