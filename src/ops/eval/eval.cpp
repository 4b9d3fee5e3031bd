#include "ops/eval/eval.h"

#include "base/check.h"

namespace carry::eval {

bool eval_scalar(Op op, ScalarKind from, ScalarKind to, uint32_t payload, std::span<const uint64_t> operands,
                 std::span<uint64_t> results) {
  if (operands.empty() || results.empty()) return false;
  if (op == Op::select) {
    if (operands.size() != 3) return false;
    results[0] = operands[0] != 0 ? operands[1] : operands[2];
    return true;
  }
  const OpRow& row = op_row(op);
  if (row.operands != static_cast<int>(operands.size()) || row.results != static_cast<int>(results.size())) return false;
  if (operands.size() == 1 && results.size() == 1 && eval_conversion(op, from, to, operands[0], results[0])) return true;
  return is_float(from) ? eval_float(op, from, operands, results) : eval_integer(op, from, payload, operands, results);
}

}  // namespace carry::eval
