/// Marks every operation that a precise object's value is computed from: backwards through values, variables of one invocation or
/// workgroup, results of `if`, `switch`, `loop`, calls and their arguments. Seeds: precise and invariant globals and vars, stores
/// and operations marked by lowering.
///   before  %v = var f32 !precise   %a = fmul %x, %y   %b = fadd %a, %z            store %v, %b
///   after   %v = var f32 !precise   %a = fmul %x, %y !precise   %b = fadd %a, %z !precise   store %v, %b
#include <algorithm>
#include <unordered_map>

#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::FunctionId;
using ir::Inst;
using ir::InstId;
using ir::RegionId;
using ir::ValueId;

constexpr uint32_t kSeedGlobal = ir::kGlobalPrecise | ir::kGlobalInvariant;

class SpreadPrecise {
 public:
  explicit SpreadPrecise(ir::Module& module)
      : m_(module), functions_(module.functions.size()), globals_(module.globals.size()) {}

  void run() {
    if (!any_seed()) return;
    for (FunctionId f : m_.function_order) collect(f);
    for (ir::GlobalId id : m_.global_order) {
      if ((m_.globals[id].flags & kSeedGlobal) != 0) need_memory({FunctionId::none(), id.value});
    }
    for (const InstId id : seeds_) need_operands(owner_[id.value], m_.insts[id]);
    for (const auto& [f, var] : seed_vars_) need_memory({f, var});
    while (!open_.empty()) {
      const auto [f, v] = open_.back();
      open_.pop_back();
      reach(f, v);
    }
  }

 private:
  /// A variable of a function (index of its local), or a global (no function).
  struct Memory {
    FunctionId function;
    uint32_t index = Id<TypeId>::kNone;
    [[nodiscard]] bool known() const { return index != Id<TypeId>::kNone; }
  };
  struct Call {
    FunctionId caller;
    InstId inst;
  };
  struct PerMemory {
    bool needed = false;
    std::vector<std::pair<FunctionId, InstId>> writes;
    std::vector<Memory> same;  // parameters and the arguments for them
  };
  struct PerFunction {
    std::vector<InstId> def;
    std::vector<uint32_t> root;   // of pointers: local index of the var or parameter, or kGlobalRoot | global
    std::vector<uint32_t> param;  // by local: parameter number
    std::vector<bool> needed;
    std::unordered_map<uint32_t, PerMemory> memory;
    std::vector<Call> calls;  // of this function
    std::vector<InstId> returns;
    bool result_needed = false;
  };
  static constexpr uint32_t kNone = 0xffffffffu;
  static constexpr uint32_t kGlobalRoot = 0x80000000u;

  [[nodiscard]] bool any_seed() const {
    for (ir::GlobalId id : m_.global_order) {
      if ((m_.globals[id].flags & kSeedGlobal) != 0) return true;
    }
    for (uint32_t i = 0; i < m_.insts.size(); ++i) {
      if ((m_.insts[InstId(i)].flags & ir::kPrecise) != 0) return true;
    }
    return false;
  }

  PerMemory& memory(const Memory& at) {
    return at.function.is_none() ? globals_[at.index] : functions_[at.function.value].memory[at.index];
  }

  Memory root(FunctionId f, ValueId pointer) {
    if (pointer.is_global()) return own(pointer.global_id());
    if (!pointer.is_local() || !pointer) return {};
    const uint32_t r = functions_[f.value].root[pointer.index()];
    if (r == kNone) return {};
    if ((r & kGlobalRoot) != 0) return {FunctionId::none(), r & ~kGlobalRoot};
    return {f, r};
  }

  /// Memory of the invocation or its group; what buffers hold comes from elsewhere.
  Memory own(ir::GlobalId id) const {
    const Space s = m_.globals[id].space;
    const bool ours = s == Space::private_ || s == Space::workgroup || s == Space::out;
    return ours ? Memory{FunctionId::none(), id.value} : Memory{};
  }

  void collect(FunctionId id) {
    const ir::Function& f = m_.functions[id];
    PerFunction& p = functions_[id.value];
    p.def.resize(f.value_types.size());
    p.root.assign(f.value_types.size(), kNone);
    p.param.assign(f.value_types.size(), kNone);
    p.needed.assign(f.value_types.size(), false);
    for (uint32_t i = 0; i < f.params.size(); ++i) {
      const uint32_t local = f.params[i].value.index();
      p.param[local] = i;
      if (f.params[i].mode != ir::ParamMode::value) p.root[local] = local;
    }
    collect(id, f.body);
  }

  void collect(FunctionId f, RegionId region) {
    PerFunction& p = functions_[f.value];
    for (InstId id : m_.regions[region].insts) {
      const Inst& in = m_.insts[id];
      if (owner_.size() <= id.value) owner_.resize(m_.insts.size());
      owner_[id.value] = f;
      for (uint32_t i = 0; i < in.result_count; ++i) p.def[in.first_result.index() + i] = id;
      if (in.op == Op::at) {
        const Memory r = root(f, m_.operand(in, 0));
        p.root[in.first_result.index()] = !r.known() ? kNone : r.function.is_none() ? r.index | kGlobalRoot : r.index;
      } else if (in.op == Op::var) {
        p.root[in.first_result.index()] = in.first_result.index();
        if ((in.flags & ir::kPrecise) != 0) seed_vars_.emplace_back(f, in.first_result.index());
        p.memory[in.first_result.index()].writes.emplace_back(f, id);
      } else if (in.op == Op::call) {
        collect_call(f, id, in);
      } else if (in.op == Op::return_) {
        p.returns.push_back(id);
      } else {
        const bool writes = in.op == Op::store || has_trait(in.op, kAtomic);
        const Memory r = writes && in.operands.count != 0 ? root(f, m_.operand(in, 0)) : Memory{};
        if (r.known()) memory(r).writes.emplace_back(f, id);
      }
      if ((in.flags & ir::kPrecise) != 0 && in.op != Op::var) seeds_.push_back(id);
      for (RegionId r : m_.inst_regions(in)) {
        for (uint32_t i = 0; i < m_.regions[r].param_count; ++i) p.def[m_.regions[r].first_param.index() + i] = id;
        collect(f, r);
      }
    }
  }

  void collect_call(FunctionId f, InstId id, const Inst& in) {
    const FunctionId callee(in.payload);
    functions_[callee.value].calls.push_back({f, id});
    const std::vector<ir::Param>& params = m_.functions[callee].params;
    for (uint32_t i = 0; i < params.size() && i < in.operands.count; ++i) {
      const Memory argument = root(f, m_.operand(in, i));
      if (params[i].mode == ir::ParamMode::value || !argument.known()) continue;
      const Memory param{callee, params[i].value.index()};
      memory(param).same.push_back(argument);
      memory(argument).same.push_back(param);
    }
  }

  void need(FunctionId f, ValueId v) {
    if (!v || !v.is_local() || functions_[f.value].needed[v.index()]) return;
    functions_[f.value].needed[v.index()] = true;
    open_.emplace_back(f, v);
  }

  void need_operands(FunctionId f, const Inst& in) {
    for (ValueId v : m_.operands(in)) need(f, v);
  }

  void need_memory(const Memory& first) {
    std::vector<Memory> work{first};
    while (!work.empty()) {
      PerMemory& p = memory(work.back());
      work.pop_back();
      if (p.needed) continue;
      p.needed = true;
      for (const auto& [f, id] : p.writes) {
        const Inst& in = m_.insts[id];
        for (uint32_t i = in.op == Op::var ? 0 : 1; i < in.operands.count; ++i) need(f, m_.operand(in, i));
      }
      work.insert(work.end(), p.same.begin(), p.same.end());
    }
  }

  void need_result(FunctionId callee) {
    PerFunction& p = functions_[callee.value];
    if (p.result_needed) return;
    p.result_needed = true;
    for (InstId id : p.returns) need_operands(callee, m_.insts[id]);
  }

  void need_terminators(FunctionId f, RegionId region) {
    for (InstId id : m_.regions[region].insts) {
      const Inst& in = m_.insts[id];
      if (has_trait(in.op, kTerminator) && in.op != Op::return_) need_operands(f, in);
      for (RegionId r : m_.inst_regions(in)) need_terminators(f, r);
    }
  }

  void reach(FunctionId f, ValueId v) {
    PerFunction& p = functions_[f.value];
    if (const uint32_t number = p.param[v.index()]; number != kNone) {
      for (const Call& c : p.calls) {
        const Inst& in = m_.insts[c.inst];
        if (number < in.operands.count) need(c.caller, m_.operand(in, number));
      }
    }
    const InstId id = p.def[v.index()];
    if (!id) return;
    Inst& in = m_.insts[id];
    if (in.op == Op::load || has_trait(in.op, kAtomic)) {
      const Memory r = root(f, m_.operand(in, 0));
      if (r.known()) need_memory(r);
      return;
    }
    if (in.op == Op::var || in.op == Op::at) return;
    if (in.op == Op::call) return need_result(FunctionId(in.payload));
    if (has_trait(in.op, kFloat)) in.flags |= ir::kPrecise;
    need_operands(f, in);
    for (RegionId r : m_.inst_regions(in)) need_terminators(f, r);
  }

  ir::Module& m_;
  std::vector<PerFunction> functions_;
  std::vector<PerMemory> globals_;
  std::vector<FunctionId> owner_;  // by inst
  std::vector<InstId> seeds_;
  std::vector<std::pair<FunctionId, uint32_t>> seed_vars_;
  std::vector<std::pair<FunctionId, ValueId>> open_;
};

}  // namespace

void spread_precise(PassContext& context) { SpreadPrecise(context.module).run(); }

}  // namespace carry::pass
