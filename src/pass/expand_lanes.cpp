/// Operations between lanes that text targets do not have: scans other than sums and products, clusters, bools in reductions,
/// questions about a ballot. Those that need every lane's value ask for one lane after the other in a loop that all go round
/// together, in the order of the lanes.
///   before  %r = subgroup %x op=umin form=inclusive
///   after   %active = subgroup_ballot true
///           loop { %v = subgroup_shuffle %x, %i   %acc = %i active and not past this lane ? umin(%acc, %v) : %acc ... }
#include "ir/rewriter.h"
#include "pass/build.h"
#include "pass/io_parts.h"
#include "pass/lane_loops.h"
#include "pass/loops.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::SubgroupForm;
using ir::SubgroupInfo;
using ir::SubgroupOp;
using ir::ValueId;

Op plain_op(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::add: return Op::add;
    case SubgroupOp::mul: return Op::mul;
    case SubgroupOp::smin: return Op::smin;
    case SubgroupOp::umin: return Op::umin;
    case SubgroupOp::fmin: return Op::fmin;
    case SubgroupOp::smax: return Op::smax;
    case SubgroupOp::umax: return Op::umax;
    case SubgroupOp::fmax: return Op::fmax;
    case SubgroupOp::and_: return Op::and_;
    case SubgroupOp::or_: return Op::or_;
    case SubgroupOp::xor_: return Op::xor_;
    case SubgroupOp::fadd: return Op::fadd;
    case SubgroupOp::fmul: return Op::fmul;
  }
  return Op::add;
}

/// What an exclusive scan gives its first lane.
uint64_t identity_bits(SubgroupOp op, ScalarKind s) {
  const uint32_t width = scalar_bits(s);
  const uint64_t ones = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  const uint64_t infinity = width == 64 ? 0x7ff0000000000000u : width == 32 ? 0x7f800000u : 0x7c00u;
  switch (op) {
    case SubgroupOp::mul: return 1;
    case SubgroupOp::smin: return ones >> 1;
    case SubgroupOp::smax: return sign;
    case SubgroupOp::umin:
    case SubgroupOp::and_: return ones;
    case SubgroupOp::fmul: return width == 64 ? 0x3ff0000000000000u : width == 32 ? 0x3f800000u : 0x3c00u;
    case SubgroupOp::fmin: return infinity;
    case SubgroupOp::fmax: return infinity | sign;
    default: return 0;
  }
}

class ExpandLanes : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op == Op::subgroup) return reduction(inst);
    const ValueId result = question(inst);
    if (result.is_none()) return false;
    replace(inst, 0, result);
    return true;
  }

 private:
  bool reduction(const Inst& inst) {
    const SubgroupInfo info = SubgroupInfo::unpack(inst.payload);
    ValueId x = operand(inst, 0);
    const TypeId type = type_of(x);
    const bool is_bool = types().scalar_of(type) == ScalarKind::bool_;
    const TypeId word = is_bool ? types().with_scalar(type, ScalarKind::u32) : type;
    const bool scan = !ir::is_native_scan(info);
    if (!is_bool && info.cluster == 0 && !scan) return false;
    if (is_bool) x = b().select(x, bits_like(b(), word, 1), b().zero(word));
    ValueId r =
        info.cluster == 0 && !scan ? b().emit(Op::subgroup, word, {x}, inst.payload) : lane_by_lane(x, info, inst.flags);
    if (is_bool) r = b().binary(Op::ne, r, b().zero(word));
    replace(inst, 0, r);
    return true;
  }

  ValueId lane_by_lane(ValueId x, const SubgroupInfo& info, uint8_t flags) {
    const TypeId type = type_of(x);
    const ValueId active = active_lanes(b());
    const ValueId lane = lane_number(b());
    const ValueId result = b().var(type, bits_like(b(), type, identity_bits(info.op, types().scalar_of(type))));
    const ValueId any = b().var(TypeId::bool_, b().const_bool(false));
    const bool clustered = info.cluster != 0;
    CountedLoop loop(b(), clustered ? b().const_u32(info.cluster) : lane_count(b()));
    ValueId from = loop.round();
    if (clustered) from = b().binary(Op::add, b().binary(Op::and_, lane, b().const_u32(~(info.cluster - 1u))), from);
    const ValueId value = b().emit(Op::subgroup_shuffle, type, {x, from});
    ValueId taken = bit_of(b(), active, from);
    if (info.form == SubgroupForm::inclusive) taken = b().binary(Op::and_, taken, b().binary(Op::ule, from, lane));
    if (info.form == SubgroupForm::exclusive) taken = b().binary(Op::and_, taken, b().binary(Op::ult, from, lane));
    const ValueId before = b().load(result);
    const ValueId before_any = b().load(any);
    const ValueId joined = b().emit(plain_op(info.op), type, {before, value}, 0, flags);
    b().store(result, b().select(taken, b().select(before_any, joined, value), before));
    b().store(any, b().binary(Op::or_, before_any, taken));
    loop.close();
    return b().load(result);
  }

  /// None: not one of them.
  ValueId question(const Inst& inst) {
    switch (inst.op) {
      case Op::subgroup_all_equal: {
        const ValueId x = operand(inst, 0);
        const ValueId first = b().emit(Op::subgroup_broadcast_first, type_of(x), {x});
        ValueId same = b().binary(is_float(types().scalar_of(type_of(x))) ? Op::feq : Op::eq, x, first);
        if (types().is_vector(type_of(x))) same = b().emit(Op::all, TypeId::bool_, {same});
        return b().emit(Op::subgroup_all, TypeId::bool_, {same});
      }
      case Op::subgroup_inverse_ballot: return bit_of(b(), operand(inst, 0), lane_number(b()));
      case Op::subgroup_ballot_bit_extract: {
        const ValueId k = operand(inst, 1);
        const ValueId bit = bit_of(b(), operand(inst, 0), b().binary(Op::and_, k, b().const_u32(127)));
        return b().binary(Op::and_, b().binary(Op::ult, k, b().const_u32(128)), bit);
      }
      case Op::subgroup_ballot_bit_count: return count(operand(inst, 0), lane_count(b()));
      case Op::subgroup_ballot_inclusive:
        return count(operand(inst, 0), b().binary(Op::add, lane_number(b()), b().const_u32(1)));
      case Op::subgroup_ballot_exclusive: return count(operand(inst, 0), lane_number(b()));
      case Op::subgroup_ballot_find_lsb:
      case Op::subgroup_ballot_find_msb: return find(inst);
      case Op::subgroup_rotate: {
        const ValueId size = inst.payload != 0 ? b().const_u32(inst.payload) : lane_count(b());
        const ValueId low = b().binary(Op::sub, size, b().const_u32(1));
        const ValueId lane = lane_number(b());
        const ValueId moved = b().binary(Op::and_, b().binary(Op::add, lane, operand(inst, 1)), low);
        const ValueId base = b().binary(Op::and_, lane, b().unary(Op::not_, low));
        return b().emit(Op::subgroup_shuffle, result_type(inst), {operand(inst, 0), b().binary(Op::or_, base, moved)});
      }
      default: return {};
    }
  }

  /// Set bits of a ballot below `end`.
  ValueId count(ValueId ballot, ValueId end) {
    const ValueId words = b().binary(Op::and_, ballot, lanes_below(b(), end));
    const ValueId counts = b().unary(Op::bit_count, words);
    ValueId sum = b().elem(counts, 0);
    for (uint32_t k = 1; k < 4; ++k) sum = b().binary(Op::add, sum, b().elem(counts, k));
    return sum;
  }

  ValueId find(const Inst& inst) {
    const bool lowest = inst.op == Op::subgroup_ballot_find_lsb;
    const ValueId words = b().binary(Op::and_, operand(inst, 0), lanes_below(b(), lane_count(b())));
    ValueId found = b().const_u32(~0u);
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t k = lowest ? 3 - i : i;
      const ValueId word = b().elem(words, k);
      const ValueId bit = b().unary(lowest ? Op::find_lsb : Op::find_msb_u, word);
      const ValueId here = b().binary(Op::ne, word, b().const_u32(0));
      found = b().select(here, b().binary(Op::add, bit, b().const_u32(32 * k)), found);
    }
    return found;
  }
};

}  // namespace

void expand_lanes(PassContext& context) { ExpandLanes(context.module).run(); }

}  // namespace carry::pass
