/// WGSL has atomics only on `atomic<u32>` and `atomic<i32>`, declared in the type of the global (semantics.md 6.4): what an
/// atomic touches anywhere gets such a type, plain accesses to it become atomic loads and stores, vectors that hold one are
/// taken apart, floats are kept as bits, the rarer sign of minimum and maximum becomes a compare-exchange loop.
///   before  global %n: workgroup array<u32, 4>           %p = at %n, 1  %v = load %p  %o = atomic_add %p, 1u
///   after   global %n: workgroup array<atomic<u32>, 4>   %p = at %n, 1  %v = atomic_load %p  %o = atomic_add %p, 1u
#include "pass/atomic_touches.h"
#include "pass/memory_access.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::Inst;

class RetypeAtomics : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;

  void run_all() {
    AtomicTouches touches(context_, [](const Inst&, TypeId) { return true; });
    touches.collect_all();
    bool any = false;
    for (GlobalId id : m().global_order) {
      if (!touches[id]) continue;
      any = true;
      Global& g = m().globals[id];
      const ShapeId shape = shapes_.root(g.value_type, g.layout, false, touches[id]);
      if (!shape) {
        context_.error(g.loc, diag::not_supported_yet, "atomics in memory of this layout");
        return;
      }
      g.access = Access::read_write;
      reshape(id, shape);
    }
    if (any) run();
  }
};

}  // namespace

void retype_atomics(PassContext& context) {
  ShapeTable::Options options;
  options.rule = context.config.storage_rule;
  RetypeAtomics(context, options).run_all();
}

}  // namespace carry::pass
