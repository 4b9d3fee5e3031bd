// Matrix products as sequences of the loops of fmul and fadd: each product and sum is rounded, sums run from index 0 up.
#include "exec/arith.h"
#include "exec/decode.h"
#include "exec/values_ops.h"

namespace carry::exec {

bool Decoder::decode_matrix(ir::InstId id, const ir::Inst& inst) {
  const Type a = types_[type_of(module_.operand(inst, 0))];
  const ScalarKind kind = a.scalar;
  const Handler mul = float_handler(Op::fmul, kind);
  const Handler add = float_handler(Op::fadd, kind);
  const uint32_t step = (is_wide(kind) ? 2 : 1) * stride_;
  if (inst.op == Op::transpose) {
    const uint32_t src = row_of(module_.operand(inst, 0));
    const uint32_t dst = define(module_.result(inst));
    if (failed_) return true;
    Copies copies;
    for (uint32_t c = 0; c < a.columns; ++c) {
      for (uint32_t r = 0; r < a.rows; ++r) {
        add_copy(copies, types_.scalar(kind), dst + (r * a.columns + c) * step, src + (c * a.rows + r) * step);
      }
    }
    copy_rows(id, copies);
    return true;
  }
  if (mul == nullptr && kind != ScalarKind::f16) return false;
  const Type b = types_[type_of(module_.operand(inst, 1))];
  const uint32_t x = row_of(module_.operand(inst, 0));
  const uint32_t y = row_of(module_.operand(inst, 1));
  const uint32_t dst = define(module_.result(inst));
  const uint32_t wide_units = is_wide(kind) ? 2 : 1;
  const uint32_t product = alloc(4 * wide_units);
  const uint32_t sums[2] = {alloc(4 * wide_units), alloc(4 * wide_units)};  // the loops want results apart from operands
  if (failed_) return true;
  const auto binary = [&](Op op, Handler handler, uint32_t to, uint32_t p, uint32_t q, uint32_t n) {
    if (handler != nullptr) {
      Code& code = emit(handler, id, n);
      code.dst = to;
      code.a = p;
      code.b = q;
      code.n = n;
      return;
    }
    emit_eval2(id, op, kind, to, p, q, n);
  };
  // Column `c` of the result = sum over k of column k of `left` scaled by scalar k.
  const auto combine = [&](uint32_t to, uint32_t left, uint32_t rows, uint32_t scalars, uint32_t scalar_step, uint32_t terms) {
    for (uint32_t k = 0; k < terms; ++k) {
      for (uint32_t r = 0; r < rows; ++r) {
        binary(Op::fmul, mul, (k == 0 ? sums[0] : product) + r * step, left + (k * rows + r) * step, scalars + k * scalar_step,
               1);
      }
      if (k != 0) binary(Op::fadd, add, k + 1 == terms ? to : sums[k % 2], sums[(k + 1) % 2], product, rows);
    }
  };
  switch (inst.op) {
    case Op::mat_scale:
      for (uint32_t i = 0; i < uint32_t{a.columns} * a.rows; ++i) binary(Op::fmul, mul, dst + i * step, x + i * step, y, 1);
      return true;
    case Op::mat_vec: combine(dst, x, a.rows, y, step, a.columns); return true;
    case Op::mat_mul:
      for (uint32_t c = 0; c < b.columns; ++c)
        combine(dst + c * a.rows * step, x, a.rows, y + c * b.rows * step, step, a.columns);
      return true;
    case Op::vec_mat:
      for (uint32_t c = 0; c < b.columns; ++c) {
        for (uint32_t k = 0; k < b.rows; ++k) {
          binary(Op::fmul, mul, k == 0 ? sums[0] : product, x + k * step, y + (c * b.rows + k) * step, 1);
          if (k != 0) binary(Op::fadd, add, k + 1 == b.rows ? dst + c * step : sums[k % 2], sums[(k + 1) % 2], product, 1);
        }
      }
      return true;
    case Op::outer_product: {
      const uint32_t rows = types_.component_count(type_of(module_.operand(inst, 0)));
      const uint32_t columns = types_.component_count(type_of(module_.operand(inst, 1)));
      for (uint32_t c = 0; c < columns; ++c) {
        for (uint32_t r = 0; r < rows; ++r) binary(Op::fmul, mul, dst + (c * rows + r) * step, x + r * step, y + c * step, 1);
      }
      return true;
    }
    default: return false;
  }
}

void Decoder::emit_eval2(ir::InstId id, Op op, ScalarKind kind, uint32_t dst, uint32_t a, uint32_t b, uint32_t n) {
  EvalCode eval;
  eval.op = op;
  eval.kind = eval.result_kind = kind;
  eval.args = {{a, n, 0, 0, kind}, {b, n, 0, 0, kind}};
  eval.results = {{dst, n, 0, 0, kind}};
  program_.evals.push_back(std::move(eval));
  emit(op_eval, id, n * 4).aux = static_cast<uint32_t>(program_.evals.size() - 1);
}

}  // namespace carry::exec
