// SIMD-group and quad functions.
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Inst;
using ir::SubgroupForm;
using ir::SubgroupInfo;
using ir::SubgroupOp;
using ir::ValueId;

namespace {

std::string_view arithmetic_name(const SubgroupInfo& info) {
  const bool reduce = info.form == SubgroupForm::reduce;
  const bool inclusive = info.form == SubgroupForm::inclusive;
  switch (info.op) {
    case SubgroupOp::add:
    case SubgroupOp::fadd: return reduce ? "simd_sum" : inclusive ? "simd_prefix_inclusive_sum" : "simd_prefix_exclusive_sum";
    case SubgroupOp::mul:
    case SubgroupOp::fmul:
      return reduce ? "simd_product" : inclusive ? "simd_prefix_inclusive_product" : "simd_prefix_exclusive_product";
    case SubgroupOp::smin:
    case SubgroupOp::umin:
    case SubgroupOp::fmin: return "simd_min";
    case SubgroupOp::smax:
    case SubgroupOp::umax:
    case SubgroupOp::fmax: return "simd_max";
    case SubgroupOp::and_: return "simd_and";
    case SubgroupOp::or_: return "simd_or";
    default: return "simd_xor";
  }
}

/// Lane numbers are ushort in Metal.
constexpr std::pair<Op, std::string_view> kLaneCalls[] = {
    {Op::subgroup_broadcast, "simd_broadcast("},       {Op::subgroup_shuffle, "simd_shuffle("},
    {Op::subgroup_shuffle_xor, "simd_shuffle_xor("},   {Op::subgroup_shuffle_up, "simd_shuffle_up("},
    {Op::subgroup_shuffle_down, "simd_shuffle_down("}, {Op::quad_broadcast, "quad_broadcast("}};

}  // namespace

bool is_subgroup_spelling(Op op) {
  for (const auto& [known, name] : kLaneCalls) {
    if (known == op) return true;
  }
  switch (op) {
    case Op::subgroup:
    case Op::subgroup_elect:
    case Op::subgroup_all:
    case Op::subgroup_any:
    case Op::subgroup_broadcast_first:
    case Op::subgroup_ballot:
    case Op::quad_swap_horizontal:
    case Op::quad_swap_vertical:
    case Op::quad_swap_diagonal: return true;
    default: return false;
  }
}

/// The operand of an exchange, which takes numbers only.
std::string Writer::moved(const Inst& inst) {
  const ValueId x = m_.operand(inst, 0);
  if (m_.types().scalar_of(type_of(x)) != ScalarKind::bool_) return arg(x);
  return type(m_.types().with_scalar(type_of(x), ScalarKind::u16)) + "(" + arg(x) + ")";
}

Expr Writer::exchange(const Inst& inst, const std::string& call) {
  if (m_.types().scalar_of(result_type(inst)) != ScalarKind::bool_) return {call};
  return {type(result_type(inst)) + "(" + call + ")"};
}

Expr Writer::subgroup(const Inst& inst) {
  if (inst.op == Op::subgroup) return call_text(arithmetic_name(SubgroupInfo::unpack(inst.payload)), inst);
  for (const auto& [op, name] : kLaneCalls) {
    if (op == inst.op) return exchange(inst, std::string(name) + moved(inst) + ", ushort(" + arg(m_.operand(inst, 1)) + "))");
  }
  switch (inst.op) {
    case Op::subgroup_elect: return {"simd_is_first()"};
    case Op::subgroup_all: return call_text("simd_all", inst);
    case Op::subgroup_any: return call_text("simd_any", inst);
    case Op::subgroup_broadcast_first: return exchange(inst, "simd_broadcast_first(" + moved(inst) + ")");
    case Op::subgroup_ballot: {
      const char* word = options_.version < 202 ? "simd_vote::vote_t" : "ulong";  // Metal 2.1 has no ulong
      return {"uint4(as_type<uint2>(" + std::string(word) + "(simd_ballot(" + arg(m_.operand(inst, 0)) + "))), 0u, 0u)"};
    }
    case Op::quad_swap_horizontal: return exchange(inst, "quad_shuffle_xor(" + moved(inst) + ", ushort(1))");
    case Op::quad_swap_vertical: return exchange(inst, "quad_shuffle_xor(" + moved(inst) + ", ushort(2))");
    case Op::quad_swap_diagonal: return exchange(inst, "quad_shuffle_xor(" + moved(inst) + ", ushort(3))");
    default: break;
  }
  CARRY_CHECK(false);  // expanded or rejected by the target row
  return call_text(op_row(inst.op).name, inst);
}

}  // namespace carry::write::msl
