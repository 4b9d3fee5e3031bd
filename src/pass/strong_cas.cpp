/// `atomic_cas` never fails spuriously; WGSL and MSL have the weak form only.
///   before  %old = atomic_cas %p, %e, %n
///   after   %v = var u32  loop { %o, %x = atomic_cas_weak %p, %e, %n  store %v, %o  if (%x or %o != %e) { break } continue }
///           %old = load %v
#include "ir/rewriter.h"
#include "pass/atomic_loops.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

struct StrongCas : ir::Rewriter {
  using Rewriter::Rewriter;
  bool visit(const ir::Inst& inst) override {
    if (inst.op != Op::atomic_cas) return false;
    replace(inst, 0, emit_strong_cas(b(), operand(inst, 0), operand(inst, 1), operand(inst, 2), inst.payload));
    return true;
  }
};

}  // namespace

void strong_cas(PassContext& context) { StrongCas(context.module).run(); }

}  // namespace carry::pass
