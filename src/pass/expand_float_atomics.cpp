/// Float add, minimum and maximum on memory by compare-exchange on the bits (semantics.md 6.5), where the target has no such
/// operation. A v of 0 is not skipped: it turns -0 into +0.
#include "ir/rewriter.h"
#include "pass/atomic_loops.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

ir::ValueId combine(ir::Builder& b, ir::ValueId current, ir::ValueId operand, Op op) {
  const Op plain = op == Op::atomic_fadd ? Op::fadd : op == Op::atomic_fmin ? Op::fmin : Op::fmax;
  return b.binary(plain, current, operand);
}

struct ExpandFloatAtomics : ir::Rewriter {
  explicit ExpandFloatAtomics(PassContext& context) : Rewriter(context.module), context_(context), config_(context.config) {}

  bool visit(const ir::Inst& inst) override {
    const bool add = inst.op == Op::atomic_fadd && config_.lacks.has(ir::Feature::float_atomic_add);
    const bool min_max =
        (inst.op == Op::atomic_fmin || inst.op == Op::atomic_fmax) && config_.lacks.has(ir::Feature::float_atomic_minmax);
    const bool shared = inst.op == Op::atomic_fadd && in_workgroup(inst) && config_.lacks.has(ir::Feature::shared_float_add);
    if (!add && !min_max && !shared) return false;
    if (types()[old_type(m().operand(inst, 0))].space == Space::handle) {
      // No compare-exchange works on texels of a float format.
      context_.error(inst.loc, diag::texture_atomic_not_available, config_.target + " without the feature `atomic-float`");
      replace(inst, 0, b().zero(old_type(inst.first_result)));
      return true;
    }
    replace(inst, 0, emit_update_loop(b(), operand(inst, 0), operand(inst, 1), inst.op, inst.payload, combine));
    return true;
  }

 private:
  /// Metal's native float add is for device memory only.
  bool in_workgroup(const ir::Inst& inst) { return types()[old_type(m().operand(inst, 0))].space == Space::workgroup; }
  PassContext& context_;
  const PassConfig& config_;
};

}  // namespace

void expand_float_atomics(PassContext& context) { ExpandFloatAtomics(context).run(); }

}  // namespace carry::pass
