// Operations across the lanes of a subgroup or quad: OpGroupNonUniform* with Subgroup scope.
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::Inst;
using ir::SubgroupForm;
using ir::SubgroupInfo;
using ir::SubgroupOp;
using ir::ValueId;
using spv::Capability;

namespace {

struct Row {
  Op op;
  spv::Op instruction;
  Capability capability;
};

constexpr Row kRows[] = {
    {Op::subgroup_elect, spv::Op::OpGroupNonUniformElect, Capability::GroupNonUniform},
    {Op::subgroup_all, spv::Op::OpGroupNonUniformAll, Capability::GroupNonUniformVote},
    {Op::subgroup_any, spv::Op::OpGroupNonUniformAny, Capability::GroupNonUniformVote},
    {Op::subgroup_all_equal, spv::Op::OpGroupNonUniformAllEqual, Capability::GroupNonUniformVote},
    {Op::subgroup_ballot, spv::Op::OpGroupNonUniformBallot, Capability::GroupNonUniformBallot},
    {Op::subgroup_inverse_ballot, spv::Op::OpGroupNonUniformInverseBallot, Capability::GroupNonUniformBallot},
    {Op::subgroup_ballot_bit_extract, spv::Op::OpGroupNonUniformBallotBitExtract, Capability::GroupNonUniformBallot},
    {Op::subgroup_ballot_find_lsb, spv::Op::OpGroupNonUniformBallotFindLSB, Capability::GroupNonUniformBallot},
    {Op::subgroup_ballot_find_msb, spv::Op::OpGroupNonUniformBallotFindMSB, Capability::GroupNonUniformBallot},
    {Op::subgroup_broadcast, spv::Op::OpGroupNonUniformBroadcast, Capability::GroupNonUniformBallot},
    {Op::subgroup_broadcast_first, spv::Op::OpGroupNonUniformBroadcastFirst, Capability::GroupNonUniformBallot},
    {Op::subgroup_shuffle, spv::Op::OpGroupNonUniformShuffle, Capability::GroupNonUniformShuffle},
    {Op::subgroup_shuffle_xor, spv::Op::OpGroupNonUniformShuffleXor, Capability::GroupNonUniformShuffle},
    {Op::subgroup_shuffle_up, spv::Op::OpGroupNonUniformShuffleUp, Capability::GroupNonUniformShuffleRelative},
    {Op::subgroup_shuffle_down, spv::Op::OpGroupNonUniformShuffleDown, Capability::GroupNonUniformShuffleRelative},
    {Op::quad_broadcast, spv::Op::OpGroupNonUniformQuadBroadcast, Capability::GroupNonUniformQuad},
};

spv::Op arithmetic_op(SubgroupOp op, bool logical) {
  switch (op) {
    case SubgroupOp::add: return spv::Op::OpGroupNonUniformIAdd;
    case SubgroupOp::mul: return spv::Op::OpGroupNonUniformIMul;
    case SubgroupOp::smin: return spv::Op::OpGroupNonUniformSMin;
    case SubgroupOp::umin: return spv::Op::OpGroupNonUniformUMin;
    case SubgroupOp::fmin: return spv::Op::OpGroupNonUniformFMin;
    case SubgroupOp::smax: return spv::Op::OpGroupNonUniformSMax;
    case SubgroupOp::umax: return spv::Op::OpGroupNonUniformUMax;
    case SubgroupOp::fmax: return spv::Op::OpGroupNonUniformFMax;
    case SubgroupOp::and_: return logical ? spv::Op::OpGroupNonUniformLogicalAnd : spv::Op::OpGroupNonUniformBitwiseAnd;
    case SubgroupOp::or_: return logical ? spv::Op::OpGroupNonUniformLogicalOr : spv::Op::OpGroupNonUniformBitwiseOr;
    case SubgroupOp::xor_: return logical ? spv::Op::OpGroupNonUniformLogicalXor : spv::Op::OpGroupNonUniformBitwiseXor;
    case SubgroupOp::fadd: return spv::Op::OpGroupNonUniformFAdd;
    case SubgroupOp::fmul: return spv::Op::OpGroupNonUniformFMul;
  }
  return spv::Op::OpNop;
}

}  // namespace

void Writer::group_capability(Capability c) {
  capability(Capability::GroupNonUniform);
  capability(c);
}

void Writer::subgroup_arithmetic(const Inst& inst) {
  const SubgroupInfo info = SubgroupInfo::unpack(inst.payload);
  const SpvId scope = scope_id(ir::Scope::subgroup);
  const SpvId x = value(m_.operand(inst, 0));
  const bool logical = m_.types().scalar_of(type_of(m_.operand(inst, 0))) == ScalarKind::bool_;
  Word group_operation = static_cast<Word>(info.form);  // Reduce, InclusiveScan, ExclusiveScan
  std::vector<Word> words{scope, group_operation, x};
  if (info.cluster != 0) {
    group_capability(Capability::GroupNonUniformClustered);
    words[1] = static_cast<Word>(spv::GroupOperation::ClusteredReduce);
    words.push_back(const_u32(info.cluster));
  } else {
    group_capability(Capability::GroupNonUniformArithmetic);
  }
  finish(inst, emit(arithmetic_op(info.op, logical), result_type(inst), words));
}

bool Writer::subgroup(const Inst& inst) {
  if (inst.op == Op::subgroup) {
    subgroup_arithmetic(inst);
    return true;
  }
  if (!has_trait(inst.op, kLanes) || has_trait(inst.op, kDerivative)) return false;
  const SpvId scope = scope_id(ir::Scope::subgroup);
  std::vector<Word> words{scope};
  switch (inst.op) {
    case Op::subgroup_ballot_bit_count:
    case Op::subgroup_ballot_inclusive:
    case Op::subgroup_ballot_exclusive:
      group_capability(Capability::GroupNonUniformBallot);
      words.push_back(inst.op == Op::subgroup_ballot_bit_count ? 0u : inst.op == Op::subgroup_ballot_inclusive ? 1u : 2u);
      words.push_back(value(m_.operand(inst, 0)));
      finish(inst, emit(spv::Op::OpGroupNonUniformBallotBitCount, result_type(inst), words));
      return true;
    case Op::quad_swap_horizontal:
    case Op::quad_swap_vertical:
    case Op::quad_swap_diagonal:
      group_capability(Capability::GroupNonUniformQuad);
      words.push_back(value(m_.operand(inst, 0)));
      words.push_back(const_u32(inst.op == Op::quad_swap_horizontal ? 0u : inst.op == Op::quad_swap_vertical ? 1u : 2u));
      finish(inst, emit(spv::Op::OpGroupNonUniformQuadSwap, result_type(inst), words));
      return true;
    case Op::subgroup_rotate:
      group_capability(Capability::GroupNonUniformRotateKHR);
      extension("SPV_KHR_subgroup_rotate");
      words.push_back(value(m_.operand(inst, 0)));
      words.push_back(value(m_.operand(inst, 1)));
      if (inst.payload != 0) words.push_back(const_u32(inst.payload));
      finish(inst, emit(spv::Op::OpGroupNonUniformRotateKHR, result_type(inst), words));
      return true;
    default: break;
  }
  // Before SPIR-V 1.5 the lane of a broadcast must be a constant.
  const bool shuffles = inst.op == Op::subgroup_broadcast && !at_least(0x00010500) && !m_.operand(inst, 1).is_constant();
  for (const Row& row : kRows) {
    if (row.op != (shuffles ? Op::subgroup_shuffle : inst.op)) continue;
    group_capability(row.capability);
    for (ValueId v : m_.operands(inst)) words.push_back(value(v));
    finish(inst, emit(row.instruction, result_type(inst), words));
    return true;
  }
  return false;
}

}  // namespace carry::write::spirv
