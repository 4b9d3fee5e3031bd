/// Text targets have no values of regions: results of `if`, `switch`, `loop` and parameters of loops become variables. Values
/// of one terminator are read before any is stored, since they are values and not variables.
///   before  %r = if %c { yield 1 } else { yield 2 }
///   after   %v = var i32   if %c { store %v, 1  yield } else { store %v, 2  yield }   %r = load %v
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

class RegionValuesToVars : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    switch (inst.op) {
      case Op::if_:
      case Op::switch_: return branch(inst);
      case Op::loop: return loop(inst);
      case Op::yield: return leave_with(inst, frames_.empty() ? nullptr : &frames_.back().results, 0);
      case Op::leave: return leave_with(inst, find(Op::switch_, &Frame::results), 0);
      case Op::break_: return leave_with(inst, find(Op::loop, &Frame::results), 0);
      case Op::continue_: return leave_with(inst, find(Op::loop, &Frame::continuing), 0);
      case Op::next: return leave_with(inst, find(Op::loop, &Frame::params), 0);
      case Op::next_if: return next_if(inst);
      default: return false;
    }
  }

 private:
  struct Frame {
    Op op{};
    std::vector<ValueId> results;
    std::vector<ValueId> params;      // loop: of the body
    std::vector<ValueId> continuing;  // loop: of the continuing region
  };

  std::vector<ValueId>* find(Op op, std::vector<ValueId> Frame::*list) {
    for (size_t i = frames_.size(); i-- > 0;) {
      if (frames_[i].op == op) return &(frames_[i].*list);
    }
    return nullptr;
  }

  std::vector<ValueId> vars_for(ValueId first, uint32_t count) {
    std::vector<ValueId> vars;
    for (uint32_t i = 0; i < count; ++i) {
      const ValueId v(first.value + i);
      vars.push_back(b().var(old_type(v), ValueId::none(), old_function().value_names[v.index()]));
    }
    return vars;
  }

  void load_results(const Inst& inst, const std::vector<ValueId>& vars) {
    b().set_loc(inst.loc);
    for (uint32_t i = 0; i < inst.result_count; ++i) replace(inst, i, b().load(vars[i]));
  }

  void store_values(const std::vector<ValueId>& vars, const std::vector<ValueId>& values, size_t first) {
    for (size_t i = 0; i < vars.size() && first + i < values.size(); ++i) b().store(vars[i], values[first + i]);
  }

  bool leave_with(const Inst& inst, const std::vector<ValueId>* vars, size_t first) {
    if (inst.operands.count == 0 || vars == nullptr) return false;
    store_values(*vars, mapped_operands(inst), first);
    b().terminator(inst.op);
    return true;
  }

  bool next_if(const Inst& inst) {
    if (inst.operands.count <= 1) return false;
    const std::vector<ValueId> values = mapped_operands(inst);
    // Both sets may be stored: results are read only after the loop, and then these are the ones.
    store_values(*find(Op::loop, &Frame::params), values, 1);
    store_values(*find(Op::loop, &Frame::results), values, 1 + inst.payload);
    b().emit(Op::next_if, TypeId::void_, {values[0]}, 0, inst.flags);
    return true;
  }

  bool branch(const Inst& inst) {
    const std::vector<ValueId> operands = mapped_operands(inst);
    frames_.push_back({inst.op, vars_for(inst.first_result, inst.result_count), {}, {}});
    std::vector<RegionId> regions;
    for (uint32_t i = 0; i < inst.regions.count; ++i) regions.push_back(rewrite_region(m().inst_region(inst, i)));
    const std::vector<ValueId> results = frames_.back().results;
    frames_.pop_back();
    b().set_loc(inst.loc);
    b().emit_full(inst.op, {}, operands, regions, inst.payload, inst.flags);
    load_results(inst, results);
    return true;
  }

  /// A region whose parameters are loaded from variables at its start.
  RegionId region_from_vars(RegionId old, const std::vector<ValueId>& vars) {
    const RegionId region = b().open_region();
    load_params(old, vars);
    rewrite_insts(old);
    b().close_region();
    return region;
  }

  void load_params(RegionId old, const std::vector<ValueId>& vars) {
    const ValueId first = m().regions[old].first_param;
    for (uint32_t i = 0; i < vars.size(); ++i) replace(ValueId(first.value + i), b().load(vars[i]));
  }

  /// The continuing region sees the body's parameters; their variables still hold them, since only its end stores anew.
  void reload_params(RegionId body, RegionId continuing, const std::vector<ValueId>& vars) {
    for (uint32_t i = 0; i < vars.size(); ++i) {
      const ValueId param(m().regions[body].first_param.value + i);
      if (uses(continuing, param)) replace(param, b().load(vars[i]));
    }
  }

  bool uses(RegionId region, ValueId v) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& in = m().insts[id];
      for (ValueId o : m().operands(in)) {
        if (o == v) return true;
      }
      for (RegionId r : m().inst_regions(in)) {
        if (uses(r, v)) return true;
      }
    }
    return false;
  }

  bool loop(const Inst& inst) {
    const RegionId body = m().inst_region(inst, 0);
    const RegionId continuing = m().inst_region(inst, 1);
    const std::vector<ValueId> init = mapped_operands(inst);
    Frame frame{Op::loop, vars_for(inst.first_result, inst.result_count), {}, {}};
    frame.params = vars_for(m().regions[body].first_param, m().regions[body].param_count);
    frame.continuing = vars_for(m().regions[continuing].first_param, m().regions[continuing].param_count);
    store_values(frame.params, init, 0);
    frames_.push_back(frame);
    RegionId regions[2];
    regions[0] = region_from_vars(body, frame.params);
    regions[1] = b().open_region();
    reload_params(body, continuing, frame.params);
    load_params(continuing, frame.continuing);
    rewrite_insts(continuing);
    b().close_region();
    frames_.pop_back();
    b().set_loc(inst.loc);
    b().emit_full(Op::loop, {}, {}, regions, inst.payload, inst.flags);
    load_results(inst, frame.results);
    return true;
  }

  std::vector<Frame> frames_;
};

}  // namespace

void region_values_to_vars(PassContext& context) { RegionValuesToVars(context.module).run(); }

}  // namespace carry::pass
