#include "exec/memory.h"
#include "ops/eval/eval.h"

namespace carry::exec {

namespace {

/// The pure operation behind an atomic one; count_ for exchange and store.
Op pure_op(Op op) {
  switch (op) {
    case Op::atomic_add: return Op::add;
    case Op::atomic_sub: return Op::sub;
    case Op::atomic_and: return Op::and_;
    case Op::atomic_or: return Op::or_;
    case Op::atomic_xor: return Op::xor_;
    case Op::atomic_smin: return Op::smin;
    case Op::atomic_smax: return Op::smax;
    case Op::atomic_umin: return Op::umin;
    case Op::atomic_umax: return Op::umax;
    case Op::atomic_fadd: return Op::fadd;
    case Op::atomic_fmin: return Op::fmin;
    case Op::atomic_fmax: return Op::fmax;
    default: return Op::count_;
  }
}

/// An atomic may see memory of another type than its operation's: the opcode decides (WGSL keeps floats in atomic<u32>).
ScalarKind kind_for(Op op, ScalarKind kind) {
  const bool wide = is_wide(kind);
  switch (op) {
    case Op::atomic_fadd:
    case Op::atomic_fmin:
    case Op::atomic_fmax: return is_float(kind) ? kind : wide ? ScalarKind::f64 : ScalarKind::f32;
    case Op::atomic_smin:
    case Op::atomic_smax: return wide ? ScalarKind::i64 : ScalarKind::i32;
    default: return wide ? ScalarKind::u64 : ScalarKind::u32;
  }
}

}  // namespace

uint64_t atomic_result(Op op, ScalarKind kind, uint64_t bits, uint64_t operand) {
  const Op pure = pure_op(op);
  if (pure == Op::count_) return operand;
  if (pure == Op::add && !is_wide(kind)) return static_cast<uint32_t>(bits + operand);
  const ScalarKind k = kind_for(op, kind);
  const uint64_t operands[2] = {bits, operand};
  uint64_t result = bits;
  if (!eval::eval_scalar(pure, k, k, 0, operands, {&result, 1})) return bits;
  return result;
}

}  // namespace carry::exec
