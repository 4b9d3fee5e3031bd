/// A constant expression of WGSL cannot hold infinity or NaN and may lose the sign of zero: globals whose initial value has
/// one get it by a store at the start of every entry.
///   before  global %t: private read f32 = -0.0      entry main { ... }
///   after   global %t: private f32                  entry main { store %t, -0.0  ... }
#include <vector>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::ValueId;

class StoreOddInits : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

  void run_all() {
    for (GlobalId id : m().global_order) {
      Global& g = m().globals[id];
      if (g.kind != ir::GlobalKind::variable || !g.init.is_constant()) continue;
      if (!ir::has_odd_float(types(), g.init.const_id())) continue;
      inits_.push_back({id, g.init});
      g.init = {};
      g.access = Access::read_write;
      g.type = types().pointer(g.space, g.access, g.value_type, g.layout);
    }
    if (!inits_.empty()) run();
  }

 protected:
  bool visit(const ir::Inst& inst) override {
    // Tables were read only; pointers into them carry that.
    if (inst.op != Op::at || types()[old_type(m().operand(inst, 0))].space != Space::private_) return false;
    const std::vector<ValueId> operands = mapped_operands(inst);
    replace(inst, 0, b().at(operands[0], std::vector<ValueId>(operands.begin() + 1, operands.end()), inst.flags));
    return true;
  }
  void begin_body() override {
    if (!new_function().is_entry) return;
    for (const Init& init : inits_) b().store(ValueId::global(init.global), init.value);
  }

 private:
  struct Init {
    GlobalId global;
    ValueId value;
  };
  std::vector<Init> inits_;
};

}  // namespace

void store_odd_inits(PassContext& context) { StoreOddInits(context.module).run_all(); }

}  // namespace carry::pass
