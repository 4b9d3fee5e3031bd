// Subgroup built-ins (`enable subgroups;`).
#include "write/text/named_calls.h"
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;
using ir::SubgroupForm;
using ir::SubgroupInfo;
using ir::SubgroupOp;

namespace {

std::string_view arithmetic_name(const SubgroupInfo& info) {
  const bool reduce = info.form == SubgroupForm::reduce;
  const bool inclusive = info.form == SubgroupForm::inclusive;
  switch (info.op) {
    case SubgroupOp::add:
    case SubgroupOp::fadd: return reduce ? "subgroupAdd" : inclusive ? "subgroupInclusiveAdd" : "subgroupExclusiveAdd";
    case SubgroupOp::mul:
    case SubgroupOp::fmul: return reduce ? "subgroupMul" : inclusive ? "subgroupInclusiveMul" : "subgroupExclusiveMul";
    case SubgroupOp::smin:
    case SubgroupOp::umin:
    case SubgroupOp::fmin: return "subgroupMin";
    case SubgroupOp::smax:
    case SubgroupOp::umax:
    case SubgroupOp::fmax: return "subgroupMax";
    case SubgroupOp::and_: return "subgroupAnd";
    case SubgroupOp::or_: return "subgroupOr";
    default: return "subgroupXor";
  }
}

constexpr text::NamedCall kCalls[] = {{Op::subgroup_all, "subgroupAll"},
                                      {Op::subgroup_any, "subgroupAny"},
                                      {Op::subgroup_ballot, "subgroupBallot"},
                                      {Op::subgroup_broadcast, "subgroupBroadcast"},
                                      {Op::subgroup_broadcast_first, "subgroupBroadcastFirst"},
                                      {Op::subgroup_shuffle, "subgroupShuffle"},
                                      {Op::subgroup_shuffle_xor, "subgroupShuffleXor"},
                                      {Op::subgroup_shuffle_up, "subgroupShuffleUp"},
                                      {Op::subgroup_shuffle_down, "subgroupShuffleDown"},
                                      {Op::quad_broadcast, "quadBroadcast"},
                                      {Op::quad_swap_horizontal, "quadSwapX"},
                                      {Op::quad_swap_vertical, "quadSwapY"},
                                      {Op::quad_swap_diagonal, "quadSwapDiagonal"}};

}  // namespace

bool is_subgroup_spelling(Op op) {
  if (op == Op::subgroup || op == Op::subgroup_elect) return true;
  if (!text::named_call(kCalls, op).empty()) return true;
  return false;
}

Expr Writer::subgroup(const Inst& inst) {
  uses_subgroups_ = true;
  if (inst.op == Op::subgroup) return call_text(arithmetic_name(SubgroupInfo::unpack(inst.payload)), inst);
  // naga has no subgroupElect: the first active lane has no active lane before it.
  if (inst.op == Op::subgroup_elect) return {"subgroupExclusiveAdd(1u) == 0u", Prec::other};
  for (const auto& [op, call] : kCalls) {
    if (op != inst.op) continue;
    // The lane of a broadcast is written in the source; a shuffle takes any.
    const bool shuffles = op == Op::subgroup_broadcast && !m_.operand(inst, 1).is_constant();
    const std::string_view name = shuffles ? "subgroupShuffle" : call;
    const bool moves = op != Op::subgroup_all && op != Op::subgroup_any && op != Op::subgroup_ballot;
    const TypeId t = type_of(m_.operand(inst, 0));
    if (!moves || m_.types().scalar_of(t) != ScalarKind::bool_) return call_text(name, inst);
    return moved_bool(name, inst);
  }
  CARRY_CHECK(false);  // expanded or rejected by the target row
  return call_text(op_row(inst.op).name, inst);
}

/// Lanes exchange numbers only.
Expr Writer::moved_bool(std::string_view function, const Inst& inst) {
  const std::string word = type(m_.types().with_scalar(result_type(inst), ScalarKind::u32));
  std::string text(function);
  text += "(select(" + word + "(0u), " + word + "(1u), " + arg(m_.operand(inst, 0)) + ")";
  for (uint32_t i = 1; i < inst.operands.count; ++i) text += ", " + arg(m_.operand(inst, i));
  return {text + ") != " + word + "(0u)", Prec::other};
}

}  // namespace carry::write::wgsl
