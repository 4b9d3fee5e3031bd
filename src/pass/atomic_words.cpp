/// Compare-exchange works on integers only in SPIR-V, and pointers cannot be cast there: float scalars that it touches are
/// declared as words, plain accesses cast the bits (semantics.md 6.4). Exchange, load and store follow where floats have no
/// atomics at all.
///   before  global %f: workgroup f32   %o = atomic_cas %f, %e, %n   %v = load %f
///   after   global %f: workgroup u32   %o = atomic_cas %f, (bits of %e), (bits of %n)   %w = load %f   %v = bitcast<f32> %w
#include "pass/atomic_touches.h"
#include "pass/memory_access.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::Inst;

bool is_cas(Op op) { return op == Op::atomic_cas || op == Op::atomic_cas_weak; }
bool is_native_float(Op op) { return op == Op::atomic_fadd || op == Op::atomic_fmin || op == Op::atomic_fmax; }

class AtomicWords : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;

  void run_all() {
    AtomicTouches touches(context_, context_.config.lacks.has(ir::Feature::float_exchange) ? any_bits : cas_bits);
    touches.collect_all();
    for (GlobalId id : m().global_order) {
      if (!touches[id]) continue;
      const Global& g = m().globals[id];
      const ShapeId shape = shapes_.root(g.value_type, g.layout, false, touches[id]);
      if (!shape) {
        context_.error(g.loc, diag::not_supported_yet, "compare-exchange of floats other than 32-bit ones or in a matrix");
        return;
      }
      reshape(id, shape);
    }
    if (!context_.failed) run();
  }

 protected:
  bool visit_other(const Inst& inst) override {
    if (!is_native_float(inst.op)) return false;
    const Place place = place_of(m().operand(inst, 0));
    if (place && !shapes_[place.shape].plain())
      context_.error(inst.loc, diag::not_supported_yet, "a float atomic on memory that compare-exchange uses too");
    return false;
  }

 private:
  static bool is_float_memory(TypeId t) { return t == TypeId::f16 || t == TypeId::f32 || t == TypeId::f64; }
  static bool any_bits(const Inst& inst, TypeId t) { return is_float_memory(t) && !is_native_float(inst.op); }
  static bool cas_bits(const Inst& inst, TypeId t) { return is_float_memory(t) && is_cas(inst.op); }
};

}  // namespace

void atomic_words(PassContext& context) {
  ShapeTable::Options options;
  options.same_layout = true;
  AtomicWords(context, options).run_all();
}

}  // namespace carry::pass
