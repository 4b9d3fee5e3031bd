/// Removes what has no effect: pure instructions without uses, stores to variables that nothing reads, functions that no entry
/// reaches, globals that nothing names (outputs and those marked @used stay).
///   before  %v = var i32   store %v, 1   %a = add 1, 2   return
///   after   return
#include <algorithm>
#include <optional>

#include "ir/rewriter.h"
#include "pass/pass.h"
#include "pass/size_overrides.h"

namespace carry::pass {

namespace {

using ir::GlobalId;
using ir::Inst;
using ir::InstId;
using ir::RegionId;
using ir::ValueId;

/// What of one function is alive.
class Liveness {
 public:
  Liveness(const ir::Module& m, const ir::Function& f, const std::vector<bool>& global_read)
      : m_(m),
        global_read_(global_read),
        def_(f.value_types.size()),
        root_(f.value_types.size(), kNoRoot),
        stores_(f.value_types.size()) {
    uint32_t last = 0;
    each_inst(f.body, [&](InstId id) {
      first_ = std::min(first_, id.value);
      last = std::max(last, id.value);
    });
    parent_.resize(last - first_ + 1);
    live_.resize(last - first_ + 1, false);
    collect(f.body, InstId::none());
    while (!open_.empty()) {
      const InstId id = open_.back();
      open_.pop_back();
      reach(id);
    }
  }
  [[nodiscard]] bool alive(InstId id) const { return live_[id.value - first_]; }

 private:
  static constexpr uint32_t kNoRoot = 0xffffffffu;

  template <class F>
  void each_inst(RegionId region, F f) {
    for (InstId id : m_.regions[region].insts) {
      f(id);
      for (RegionId r : m_.inst_regions(m_.insts[id])) each_inst(r, f);
    }
  }

  void mark(InstId id) {
    if (!id) return;
    if (live_[id.value - first_]) return;
    live_[id.value - first_] = true;
    open_.push_back(id);
  }

  /// The variable behind a pointer made in this function; kNoRoot for parameters and globals.
  [[nodiscard]] uint32_t root(ValueId v) const { return v.is_local() && v ? root_[v.index()] : kNoRoot; }

  [[nodiscard]] bool has_effect(const Inst& in) const {
    const uint32_t traits = op_row(in.op).traits;
    if (in.op == Op::yield) return false;
    if ((traits & kTerminator) != 0) return true;
    if (in.op == Op::store) {
      const ValueId p = m_.operand(in, 0);
      if (root(p) != kNoRoot) return false;
      return !(p.is_global() && !global_read_[p.index()]);
    }
    return (traits & (kWrite | kBarrier)) != 0 || in.op == Op::loop || (in.flags & ir::kVolatile) != 0;
  }

  void collect(RegionId region, InstId parent) {
    for (InstId id : m_.regions[region].insts) {
      const Inst& in = m_.insts[id];
      parent_[id.value - first_] = parent;
      for (uint32_t i = 0; i < in.result_count; ++i) def_[in.first_result.index() + i] = id;
      if (in.op == Op::var) root_[in.first_result.index()] = in.first_result.index();
      if (in.op == Op::at) root_[in.first_result.index()] = root(m_.operand(in, 0));
      if (in.op == Op::store && root(m_.operand(in, 0)) != kNoRoot) stores_[root(m_.operand(in, 0))].push_back(id);
      if (has_effect(in)) mark(id);
      for (RegionId r : m_.inst_regions(in)) {
        for (uint32_t i = 0; i < m_.regions[r].param_count; ++i) def_[m_.regions[r].first_param.index() + i] = id;
        collect(r, id);
      }
    }
  }

  void reach(InstId id) {
    const Inst& in = m_.insts[id];
    mark(parent_[id.value - first_]);
    for (RegionId r : m_.inst_regions(in)) {
      if (!m_.regions[r].insts.empty()) mark(m_.regions[r].insts.back());
    }
    const bool writes_only = in.op == Op::store || in.op == Op::at;
    for (uint32_t i = 0; i < in.operands.count; ++i) {
      const ValueId v = m_.operand(in, i);
      if (!v.is_local()) continue;
      mark(def_[v.index()]);
      const uint32_t r = root(v);
      if (r == kNoRoot || (writes_only && i == 0)) continue;
      for (InstId store : stores_[r]) mark(store);
      stores_[r].clear();
    }
  }

  const ir::Module& m_;
  const std::vector<bool>& global_read_;
  std::vector<InstId> def_;
  std::vector<uint32_t> root_;
  std::vector<std::vector<InstId>> stores_;
  uint32_t first_ = 0xffffffffu;  // the least id: a function's instructions lie close together
  std::vector<InstId> parent_;    // by id less first_, as is live_
  std::vector<bool> live_;
  std::vector<InstId> open_;
};

class Sweep : public ir::Rewriter {
 public:
  Sweep(ir::Module& module, const std::vector<bool>& global_read) : Rewriter(module), global_read_(global_read) {}

 protected:
  bool wants(ir::FunctionId id) override {
    live_.emplace(m(), m().functions[id], global_read_);
    return true;
  }
  bool visit(const Inst&) override { return !live_->alive(m().regions[old_region()].insts[old_position()]); }

 private:
  const std::vector<bool>& global_read_;
  std::optional<Liveness> live_;
};

/// Calls `f(inst)` for every instruction of a region and those inside.
template <class F>
void each_inst(const ir::Module& m, RegionId region, F f) {
  for (InstId id : m.regions[region].insts) {
    f(m.insts[id]);
    for (RegionId r : m.inst_regions(m.insts[id])) each_inst(m, r, f);
  }
}

void drop_functions(ir::Module& m) {
  std::vector<bool> reached(m.functions.size(), false);
  for (size_t i = m.function_order.size(); i-- > 0;) {
    const ir::FunctionId id = m.function_order[i];
    const ir::Function& f = m.functions[id];
    if (f.dead || (!f.is_entry && !reached[id.value])) continue;
    reached[id.value] = true;
    each_inst(m, f.body, [&](const Inst& in) {
      if (in.op == Op::call) reached[in.payload] = true;
    });
  }
  // A module without entries is a library or a test: everything stays.
  const bool any = std::any_of(m.function_order.begin(), m.function_order.end(),
                               [&](ir::FunctionId id) { return m.functions[id].is_entry; });
  if (!any) return;
  std::erase_if(m.function_order, [&](ir::FunctionId id) {
    if (reached[id.value]) return false;
    m.functions[id].dead = true;
    return true;
  });
}

/// Private and workgroup globals that something reads, or hands on.
std::vector<bool> globals_read(const ir::Module& m) {
  std::vector<bool> read(m.globals.size(), false);
  for (GlobalId id : m.global_order) {
    if (m.globals[id].space != Space::private_) read[id.value] = true;
  }
  for (ir::FunctionId id : m.function_order) {
    each_inst(m, m.functions[id].body, [&](const Inst& in) {
      for (uint32_t i = 0; i < in.operands.count; ++i) {
        const ValueId v = m.operand(in, i);
        if (v.is_global() && !(in.op == Op::store && i == 0)) read[v.index()] = true;
      }
    });
  }
  return read;
}

class GlobalUses {
 public:
  explicit GlobalUses(const ir::Module& m) : m_(m), used_(m.globals.size(), false), sizes_(m) {}
  std::vector<bool> run() {
    for (ir::FunctionId id : m_.function_order) {
      const ir::Function& f = m_.functions[id];
      for (TypeId t : f.value_types) type(t);
      for (ValueId v : f.entry.workgroup_size) value(v);
      for (const std::vector<ir::IoAttr>& list : f.param_io) {
        for (const ir::IoAttr& io : list) {
          if (io.resource) value(ValueId::global(io.resource));
        }
      }
      each_inst(m_, f.body, [&](const Inst& in) {
        for (ValueId v : m_.operands(in)) value(v);
      });
    }
    for (GlobalId id : m_.global_order) {
      const ir::Global& g = m_.globals[id];
      if (g.space == Space::out || (g.flags & ir::kGlobalUsed) != 0) value(ValueId::global(id));
    }
    return std::move(used_);
  }

 private:
  void value(ValueId v) {
    if (!v.is_global() || used_[v.index()]) return;
    used_[v.index()] = true;
    const ir::Global& g = m_.globals[v.global_id()];
    type(g.value_type);
    if (g.init) value(g.init);
    if (g.counter_of) value(ValueId::global(g.counter_of));
    if (g.kind != ir::GlobalKind::result) return;
    for (InstId id : m_.module_insts) {
      const Inst& in = m_.insts[id];
      if (v.value < in.first_result.value || v.value >= in.first_result.value + in.result_count) continue;
      for (ValueId o : m_.operands(in)) value(o);
    }
  }
  void type(TypeId id) {
    sizes_.each(id, [this](ValueId v) { value(v); });
  }

  const ir::Module& m_;
  std::vector<bool> used_;
  SizeOverrides sizes_;
};

void drop_globals(ir::Module& m) {
  const std::vector<bool> used = GlobalUses(m).run();
  std::erase_if(m.module_insts, [&](InstId id) { return !used[m.insts[id].first_result.index()]; });
  std::erase_if(m.global_order, [&](GlobalId id) {
    if (used[id.value]) return false;
    m.dead_globals.push_back(id);
    return true;
  });
}

}  // namespace

void dead_code(PassContext& context) {
  ir::Module& m = context.module;
  drop_functions(m);
  Sweep(m, globals_read(m)).run();
  drop_globals(m);
}

}  // namespace carry::pass
