/// Computes operations that the target does not have from others, by the `to ... expand` of their block in src/ops/builtins.
///   before  %s, %c = uadd_carry %x, %y
///   after   %s = add %x, %y   %c = ult %s, %x
#include "ir/expansion.h"
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

class ExpandOps : public ir::Rewriter {
 public:
  explicit ExpandOps(PassContext& context) : Rewriter(context.module), config_(context.config) {}

 protected:
  bool visit(const Inst& inst) override {
    if ((op_row(inst.op).traits & (kPure | kBuiltin)) == 0 || inst.result_count == 0) return false;
    const std::vector<ValueId> operands = mapped_operands(inst);
    std::vector<ValueId> results;
    if (!ir::emit_target_expansion(b(), inst.op, config_.expand_target, operands, results, inst.flags)) return false;
    for (uint32_t i = 0; i < inst.result_count && i < results.size(); ++i) replace(inst, i, results[i]);
    return true;
  }

 private:
  const PassConfig& config_;
};

}  // namespace

void expand_ops(PassContext& context) { ExpandOps(context).run(); }

}  // namespace carry::pass
