/// Moves `continue` and `break` of a loop out of `switch`: text targets write the continuing region at each `continue`, and
/// their `break` would leave the switch in place of the loop. Region values are gone before.
///   before  loop { switch %x { case 1 { continue } ... } ... }
///   after   loop { %c = var bool = false  switch %x { case 1 { store %c, true  leave } ... }
///                  %t = load %c  if %t { continue } ... }
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

class HoistContinue : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    switch (inst.op) {
      case Op::switch_: return switch_inst(inst);
      case Op::loop: {
        frames_.push_back({});
        keep(inst);
        frames_.pop_back();
        return true;
      }
      case Op::break_:
      case Op::continue_: escape(inst.op); return true;
      default: return false;
    }
  }

 private:
  /// An open switch inside a loop, with its flags; a loop has none.
  struct Frame {
    bool is_switch = false;
    ValueId breaks;
    ValueId continues;
  };

  /// Whether the region leaves the loop around the switch, by this terminator.
  bool escapes(RegionId region, Op op) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& in = m().insts[id];
      if (in.op == op) return true;
      if (in.op == Op::loop) continue;
      for (RegionId r : m().inst_regions(in)) {
        if (escapes(r, op)) return true;
      }
    }
    return false;
  }

  bool any_escapes(const Inst& inst, Op op) {
    for (uint32_t i = 0; i < inst.regions.count; ++i) {
      if (escapes(m().inst_region(inst, i), op)) return true;
    }
    return false;
  }

  /// The terminator, or what stands for it inside a switch.
  void escape(Op op) {
    if (frames_.empty() || !frames_.back().is_switch) return b().terminator(op);
    b().store(op == Op::break_ ? frames_.back().breaks : frames_.back().continues, b().const_bool(true));
    b().terminator(Op::leave);
  }

  void after_switch(ValueId flag, Op op) {
    if (!flag) return;
    const ValueId taken = b().load(flag);
    RegionId regions[2];
    regions[0] = b().open_region();
    escape(op);
    b().close_region();
    regions[1] = b().open_region();
    b().yield();
    b().close_region();
    b().emit_full(Op::if_, {}, std::span<const ValueId>(&taken, 1), regions);
  }

  bool switch_inst(const Inst& inst) {
    const bool breaks = any_escapes(inst, Op::break_);
    const bool continues = any_escapes(inst, Op::continue_);
    if (!breaks && !continues) return false;
    Frame frame;
    frame.is_switch = true;
    if (breaks) frame.breaks = b().var(TypeId::bool_, b().const_bool(false));
    if (continues) frame.continues = b().var(TypeId::bool_, b().const_bool(false));
    frames_.push_back(frame);
    keep(inst);
    frames_.pop_back();
    b().set_loc(inst.loc);
    after_switch(frame.breaks, Op::break_);
    after_switch(frame.continues, Op::continue_);
    return true;
  }

  std::vector<Frame> frames_;
};

}  // namespace

void hoist_continue(PassContext& context) { HoistContinue(context.module).run(); }

}  // namespace carry::pass
