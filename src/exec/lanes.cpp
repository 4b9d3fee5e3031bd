#include "exec/lanes.h"

#include <algorithm>
#include <bit>

#include "ops/eval/eval.h"

namespace carry::exec {

namespace {

/// The lanes of one subgroup: [first, first + size) of the batch; `size` is smaller at the end of a group.
struct Subgroup {
  uint32_t first = 0;
  uint32_t size = 0;
};

template <class F>
void for_subgroups(const Machine& m, F f) {
  const uint32_t width = m.options->subgroup_size;
  for (uint32_t g = 0; g < m.batch_groups; ++g) {
    for (uint32_t k = 0; k < m.group_size; k += width) {
      const Subgroup s{g * m.group_size + k, std::min(width, m.group_size - k)};
      if (s.first < m.hi && s.first + s.size > m.lo) f(s);
    }
  }
}

bool is_on(const Machine& m, uint32_t lane) { return m.active->lanes[lane] != 0; }
const LaneOp& op_of(const Machine& m, const Code& code) { return m.program->lane_ops[code.aux]; }

uint64_t get(const Machine& m, const LaneOp& op, uint32_t row, uint32_t component, uint32_t lane) {
  const bool wide = is_wide(op.kind);
  return read_row(m, component_row(m, row, wide, component), wide, lane);
}
void put(Machine& m, const LaneOp& op, uint32_t component, uint32_t lane, uint64_t bits) {
  const bool wide = is_wide(op.kind);
  write_row(m, component_row(m, op.dst, wide, component), wide, lane, bits);
}

// ---- reduce and scans ----

Op pure_op(ir::SubgroupOp op) {
  switch (op) {
    case ir::SubgroupOp::add: return Op::add;
    case ir::SubgroupOp::mul: return Op::mul;
    case ir::SubgroupOp::smin: return Op::smin;
    case ir::SubgroupOp::umin: return Op::umin;
    case ir::SubgroupOp::fmin: return Op::fmin;
    case ir::SubgroupOp::smax: return Op::smax;
    case ir::SubgroupOp::umax: return Op::umax;
    case ir::SubgroupOp::fmax: return Op::fmax;
    case ir::SubgroupOp::and_: return Op::and_;
    case ir::SubgroupOp::or_: return Op::or_;
    case ir::SubgroupOp::xor_: return Op::xor_;
    case ir::SubgroupOp::fadd: return Op::fadd;
    case ir::SubgroupOp::fmul: return Op::fmul;
  }
  return Op::add;
}

uint64_t float_one(ScalarKind k) {
  return k == ScalarKind::f64 ? 0x3ff0000000000000u : k == ScalarKind::f32 ? 0x3f800000u : 0x3c00u;
}
uint64_t float_infinity(ScalarKind k) {
  return k == ScalarKind::f64 ? 0x7ff0000000000000u : k == ScalarKind::f32 ? 0x7f800000u : 0x7c00u;
}

/// What an exclusive scan gives its first lane.
uint64_t identity(ir::SubgroupOp op, ScalarKind kind) {
  const uint32_t width = kind == ScalarKind::bool_ ? 1 : scalar_bits(kind);
  const uint64_t ones = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  switch (op) {
    case ir::SubgroupOp::mul: return 1;
    case ir::SubgroupOp::smin: return ones >> 1;
    case ir::SubgroupOp::smax: return sign;
    case ir::SubgroupOp::umin:
    case ir::SubgroupOp::and_: return ones;
    case ir::SubgroupOp::fmul: return float_one(kind);
    case ir::SubgroupOp::fmin: return float_infinity(kind);
    case ir::SubgroupOp::fmax: return float_infinity(kind) | sign;
    default: return 0;
  }
}

uint64_t combine(Op op, ScalarKind kind, uint64_t a, uint64_t b) {
  if (kind == ScalarKind::u32 || kind == ScalarKind::i32) {
    if (op == Op::add) return static_cast<uint32_t>(a + b);
  }
  const uint64_t operands[2] = {a, b};
  uint64_t result = 0;
  // The operation's sign decides, not the type's.
  const bool is_signed = op == Op::smin || op == Op::smax;
  const bool is_unsigned = op == Op::umin || op == Op::umax;
  const ScalarKind k = is_signed ? to_signed(kind) : is_unsigned ? to_unsigned(kind) : kind;
  if (!eval::eval_scalar(op, k, k, 0, operands, {&result, 1})) return 0;
  return result;
}

void op_reduce(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  const ir::SubgroupInfo info = ir::SubgroupInfo::unpack(op.payload);
  const Op pure = pure_op(info.op);
  const uint64_t start = identity(info.op, op.kind);
  for_subgroups(m, [&](Subgroup s) {
    const uint32_t cluster = info.cluster == 0 || info.cluster > s.size ? s.size : info.cluster;
    for (uint32_t c = 0; c < op.components; ++c) {
      for (uint32_t first = s.first; first < s.first + s.size; first += cluster) {
        const uint32_t end = std::min(first + cluster, s.first + s.size);
        uint64_t sum = start;
        bool any = false;
        for (uint32_t i = first; i < end; ++i) {
          if (!is_on(m, i)) continue;
          const uint64_t x = get(m, op, op.a, c, i);
          if (info.form == ir::SubgroupForm::exclusive) put(m, op, c, i, sum);
          sum = any ? combine(pure, op.kind, sum, x) : x;
          any = true;
          if (info.form == ir::SubgroupForm::inclusive) put(m, op, c, i, sum);
        }
        if (info.form != ir::SubgroupForm::reduce) continue;
        for (uint32_t i = first; i < end; ++i) {
          if (is_on(m, i)) put(m, op, c, i, sum);
        }
      }
    }
  });
}

// ---- votes and ballots ----

void op_elect(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    bool first = true;
    for (uint32_t i = s.first; i < s.first + s.size; ++i) {
      if (!is_on(m, i)) continue;
      m.regs[op.dst + i] = first ? 1 : 0;
      first = false;
    }
  });
}

/// all, any; over the subgroup or over quads.
void op_vote(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  const bool all = op.op == Op::subgroup_all || op.op == Op::quad_all;
  const bool quad = op.op == Op::quad_all || op.op == Op::quad_any;
  for_subgroups(m, [&](Subgroup s) {
    const uint32_t step = quad ? 4 : s.size;
    for (uint32_t first = s.first; first < s.first + s.size; first += step) {
      const uint32_t end = std::min(first + step, s.first + s.size);
      uint32_t vote = all ? 1 : 0;
      for (uint32_t i = first; i < end; ++i) {
        if (is_on(m, i)) vote = all ? vote & m.regs[op.a + i] : vote | m.regs[op.a + i];
      }
      for (uint32_t i = first; i < end; ++i) m.regs[op.dst + i] = vote;
    }
  });
}

bool same_value(const Machine& m, const LaneOp& op, uint32_t i, uint32_t j) {
  for (uint32_t c = 0; c < op.components; ++c) {
    const uint64_t operands[2] = {get(m, op, op.a, c, i), get(m, op, op.a, c, j)};
    uint64_t equal = operands[0] == operands[1] ? 1 : 0;
    if (is_float(op.kind)) {
      if (!eval::eval_scalar(Op::feq, op.kind, ScalarKind::bool_, 0, operands, {&equal, 1})) return false;
    }
    if (equal == 0) return false;
  }
  return true;
}

void op_all_equal(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    uint32_t first = kNoRow;
    uint32_t equal = 1;
    for (uint32_t i = s.first; i < s.first + s.size; ++i) {
      if (!is_on(m, i)) continue;
      if (first == kNoRow) first = i;
      if (!same_value(m, op, first, i)) equal = 0;
    }
    for (uint32_t i = s.first; i < s.first + s.size; ++i) m.regs[op.dst + i] = equal;
  });
}

void put_ballot(Machine& m, const LaneOp& op, uint32_t lane, const uint32_t words[4]) {
  for (uint32_t w = 0; w < 4; ++w) m.regs[op.dst + w * m.stride + lane] = words[w];
}

void op_ballot(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    uint32_t words[4] = {};
    for (uint32_t k = 0; k < s.size; ++k) {
      if (is_on(m, s.first + k) && m.regs[op.a + s.first + k] != 0) words[k / 32] |= 1u << (k % 32);
    }
    for (uint32_t k = 0; k < s.size; ++k) put_ballot(m, op, s.first + k, words);
  });
}

void op_match(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    for (uint32_t i = 0; i < s.size; ++i) {
      if (!is_on(m, s.first + i)) continue;
      uint32_t words[4] = {};
      for (uint32_t k = 0; k < s.size; ++k) {
        if (is_on(m, s.first + k) && same_value(m, op, s.first + i, s.first + k)) words[k / 32] |= 1u << (k % 32);
      }
      put_ballot(m, op, s.first + i, words);
    }
  });
}

/// Questions about a ballot: bits at or past the subgroup size do not count.
uint32_t ask_ballot(const Machine& m, const LaneOp& op, uint32_t lane, uint32_t in_subgroup) {
  const uint32_t width = m.options->subgroup_size;
  const auto bit = [&](uint32_t k) { return m.regs[op.a + k / 32 * m.stride + lane] >> (k % 32) & 1; };
  uint32_t count = 0;
  switch (op.op) {
    case Op::subgroup_inverse_ballot: return bit(in_subgroup);
    case Op::subgroup_ballot_bit_extract: {
      const uint32_t k = m.regs[op.b + lane];
      return k < 128 ? bit(k) : 0;
    }
    case Op::subgroup_ballot_bit_count:
      for (uint32_t k = 0; k < width; ++k) count += bit(k);
      return count;
    case Op::subgroup_ballot_inclusive:
      for (uint32_t k = 0; k <= in_subgroup; ++k) count += bit(k);
      return count;
    case Op::subgroup_ballot_exclusive:
      for (uint32_t k = 0; k < in_subgroup; ++k) count += bit(k);
      return count;
    case Op::subgroup_ballot_find_lsb:
      for (uint32_t k = 0; k < width; ++k) {
        if (bit(k) != 0) return k;
      }
      return ~0u;
    default:
      for (uint32_t k = width; k-- > 0;) {
        if (bit(k) != 0) return k;
      }
      return ~0u;
  }
}

void op_ask_ballot(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    for (uint32_t k = 0; k < s.size; ++k) {
      if (is_on(m, s.first + k)) m.regs[op.dst + s.first + k] = ask_ballot(m, op, s.first + k, k);
    }
  });
}

// ---- moves between lanes ----

/// Lane of the subgroup whose value lane `k` gets; `size` or more: none.
uint64_t source_lane(const Machine& m, const LaneOp& op, Subgroup s, uint32_t k, uint32_t first_active) {
  const uint32_t b = op.b != kNoRow ? m.regs[op.b + s.first + k] : 0;
  switch (op.op) {
    case Op::subgroup_broadcast:
    case Op::subgroup_shuffle: return b;
    case Op::subgroup_broadcast_first: return first_active;
    case Op::subgroup_shuffle_xor: return k ^ b;
    case Op::subgroup_shuffle_up: return b <= k ? k - b : ~uint64_t{0};
    case Op::subgroup_shuffle_down: return uint64_t{k} + b;
    case Op::subgroup_rotate: {
      const uint32_t cluster = op.payload == 0 || op.payload > m.options->subgroup_size ? m.options->subgroup_size : op.payload;
      return k / cluster * cluster + (k + b) % cluster;
    }
    case Op::quad_broadcast: return k / 4 * 4 + (b & 3);
    case Op::quad_swap_horizontal: return k ^ 1;
    case Op::quad_swap_vertical: return k ^ 2;
    default: return k ^ 3;  // quad_swap_diagonal
  }
}

void op_move(Machine& m, const Code& code) {
  const LaneOp& op = op_of(m, code);
  for_subgroups(m, [&](Subgroup s) {
    uint32_t first_active = 0;
    while (first_active < s.size && !is_on(m, s.first + first_active)) ++first_active;
    for (uint32_t k = 0; k < s.size; ++k) {
      if (!is_on(m, s.first + k)) continue;
      const uint64_t from = source_lane(m, op, s, k, first_active);
      // No defined value comes from an inactive lane; zero is as good as any and the same in every run.
      const bool valid = from < s.size && is_on(m, s.first + static_cast<uint32_t>(from));
      for (uint32_t c = 0; c < op.components; ++c) {
        put(m, op, c, s.first + k, valid ? get(m, op, op.a, c, s.first + static_cast<uint32_t>(from)) : 0);
      }
    }
  });
}

}  // namespace

Handler lane_handler(Op op) {
  switch (op) {
    case Op::subgroup: return op_reduce;
    case Op::subgroup_elect: return op_elect;
    case Op::subgroup_all:
    case Op::subgroup_any:
    case Op::quad_all:
    case Op::quad_any: return op_vote;
    case Op::subgroup_all_equal: return op_all_equal;
    case Op::subgroup_ballot: return op_ballot;
    case Op::subgroup_match: return op_match;
    case Op::subgroup_inverse_ballot:
    case Op::subgroup_ballot_bit_extract:
    case Op::subgroup_ballot_bit_count:
    case Op::subgroup_ballot_inclusive:
    case Op::subgroup_ballot_exclusive:
    case Op::subgroup_ballot_find_lsb:
    case Op::subgroup_ballot_find_msb: return op_ask_ballot;
    case Op::subgroup_broadcast:
    case Op::subgroup_broadcast_first:
    case Op::subgroup_shuffle:
    case Op::subgroup_shuffle_xor:
    case Op::subgroup_shuffle_up:
    case Op::subgroup_shuffle_down:
    case Op::subgroup_rotate:
    case Op::quad_broadcast:
    case Op::quad_swap_horizontal:
    case Op::quad_swap_vertical:
    case Op::quad_swap_diagonal: return op_move;
    default: return nullptr;
  }
}

}  // namespace carry::exec
