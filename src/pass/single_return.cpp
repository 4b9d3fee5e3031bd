#include "pass/single_return.h"

#include "ir/rewriter.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

class SingleReturn : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    if (!started_) return start();
    switch (inst.op) {
      case Op::return_:
        if (inst.operands.count != 0) b().store(result_, operand(inst, 0));
        escape();
        return true;
      case Op::unreachable:
        // A body that ends here never returns from its end.
        return false;
      case Op::loop: {
        const bool returns = contains_return(m().inst_region(inst, 0));
        ++loops_;
        keep(inst);
        --loops_;
        if (returns) leave_if_flagged(inst);
        return true;
      }
      default: return false;
    }
  }

 private:
  /// Called for the body's first instruction: emits the whole body inside the loop, then the return.
  bool start() {
    started_ = true;
    const TypeId type = old_function().result;
    if (type != TypeId::void_) result_ = b().var(type, b().zero(type));
    if (nested_return(old_region(), false)) flag_ = b().var(TypeId::bool_, b().const_bool(false));
    RegionId regions[2];
    regions[0] = b().open_region();
    rewrite_insts(old_region());
    b().close_region();
    regions[1] = b().open_region();
    b().terminator(Op::next);
    b().close_region();
    b().emit_full(Op::loop, {}, {}, regions);
    if (result_) {
      const ValueId value = b().load(result_);
      b().terminator(Op::return_, std::span<const ValueId>(&value, 1));
    } else {
      b().terminator(Op::return_);
    }
    return true;
  }

  void escape() {
    if (loops_ != 0) b().store(flag_, b().const_bool(true));
    b().terminator(Op::break_);
  }

  void leave_if_flagged(const Inst& inst) {
    b().set_loc(inst.loc);
    const ValueId taken = b().load(flag_);
    RegionId regions[2];
    regions[0] = b().open_region();
    b().terminator(Op::break_);
    b().close_region();
    regions[1] = b().open_region();
    b().yield();
    b().close_region();
    b().emit_full(Op::if_, {}, std::span<const ValueId>(&taken, 1), regions);
  }

  bool contains_return(RegionId region) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& in = m().insts[id];
      if (in.op == Op::return_) return true;
      for (RegionId r : m().inst_regions(in)) {
        if (contains_return(r)) return true;
      }
    }
    return false;
  }

  /// A return inside a loop of the source.
  bool nested_return(RegionId region, bool in_loop) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& in = m().insts[id];
      if (in.op == Op::return_ && in_loop) return true;
      for (RegionId r : m().inst_regions(in)) {
        if (nested_return(r, in_loop || in.op == Op::loop)) return true;
      }
    }
    return false;
  }

  bool started_ = false;
  uint32_t loops_ = 0;
  ValueId result_;
  ValueId flag_;
};

}  // namespace

void make_single_return(ir::Module& module, ir::FunctionId function) {
  if (ir::has_single_return(module, module.functions[function])) return;
  SingleReturn(module).run_function(function);
}

}  // namespace carry::pass
