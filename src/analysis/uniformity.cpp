#include "analysis/uniformity.h"

#include "analysis/flow_walk.h"

namespace carry::analysis {

using ir::Inst;
using ir::InstId;

namespace {

bool has_barrier(const ir::Module& m, ir::RegionId region) {
  for (InstId id : m.regions[region].insts) {
    if (m.insts[id].op == Op::barrier) return true;
    for (ir::RegionId r : m.inst_regions(m.insts[id])) {
      if (has_barrier(m, r)) return true;
    }
  }
  return false;
}

bool decides(Op op) { return op == Op::if_ || op == Op::switch_ || op == Op::next_if; }

class Finder {
 public:
  explicit Finder(const ir::Module& module) : m_(module) { summaries_.resize(module.functions.size()); }

  std::vector<DivergentBarrier> run() {
    bool barriers = false, samples = false;
    for (ir::FunctionId id : m_.function_order) {
      const ir::Function& f = m_.functions[id];
      if (f.dead) continue;
      barriers = barriers || has_barrier(m_, f.body);
      samples = samples || (f.is_entry && f.entry.stage == ir::Stage::fragment);
    }
    if (!barriers) return {};
    for (ir::FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead) function(id, samples);
    }
    return std::move(found_);
  }

 private:
  void function(ir::FunctionId id, bool samples) {
    const ir::Function& f = m_.functions[id];
    FlowWalk walk(m_, f, summaries_, samples);
    walk.run();
    const std::vector<uint32_t> to_differ = walk.graph.reach({kMayDiffer}, true);
    std::vector<FlowNeed> open;
    for (const FlowNeed& need : walk.needs) {
      if (to_differ[need.node] == kNoNode) {
        open.push_back(need);
      } else {
        report(f, walk, need, to_differ);
      }
    }
    if (!f.is_entry) summaries_[id.value] = summary(f, walk, open);
  }

  void report(const ir::Function& f, const FlowWalk& walk, const FlowNeed& need, const std::vector<uint32_t>& next) {
    DivergentBarrier row{need.barrier, need.call, need.condition, {}, {}};
    uint32_t n = need.node, last = need.node;
    for (; n != kMayDiffer; n = next[n]) {
      const InstId tag = walk.graph.tag(n);
      if (tag) {
        if (!row.condition && decides(m_.insts[tag].op)) row.condition = tag;
        row.source = tag;
      }
      last = n;
    }
    // HLSL's entry is a wrapper around the source's: its call stands at the name.
    if (row.call && is_name_of(f, m_.insts[row.call].loc)) row.call = InstId::none();
    row.what = what_differs(f, last, row.source);
    found_.push_back(std::move(row));
  }

  [[nodiscard]] bool is_name_of(const ir::Function& f, ir::LocId loc) const {
    return f.is_entry && f.loc && loc && m_.locs[f.loc].range.begin == m_.locs[loc].range.begin;
  }

  /// The value whose node is next to "may differ", in words.
  [[nodiscard]] std::string what_differs(const ir::Function& f, uint32_t node, InstId source) const {
    if (node >= kFirstParam && node < kFirstParam + f.params.size()) {
      const size_t i = node - kFirstParam;
      const bool resource =
          i < f.param_io.size() && f.param_io[i].size() == 1 && f.param_io[i][0].slot_kind != ir::SlotKind::none;
      return (resource ? "the writable memory of `" : "the input `") + std::string(m_.names().text(f.params[i].name)) + "`";
    }
    if (!source) return "a value";
    const Inst& inst = m_.insts[source];
    if (inst.op == Op::call)
      return "the result of `" + std::string(m_.names().text(m_.functions[ir::FunctionId(inst.payload)].name)) + "`";
    if (op_row(inst.op).traits & kAtomic) return "the result of an atomic";
    if (op_row(inst.op).traits & (kLanes | kDerivative)) return "a value of each lane";
    if (inst.op != Op::load) return "a value";
    ir::ValueId root = m_.operand(inst, 0);
    for (InstId d = definition(f, root); d && m_.insts[d].op == Op::at; d = definition(f, root))
      root = m_.operand(m_.insts[d], 0);
    if (!root.is_global()) return "a value";
    return "the writable memory of `" + std::string(m_.names().text(m_.globals[root.global_id()].name)) + "`";
  }

  [[nodiscard]] InstId definition(const ir::Function& f, ir::ValueId v) const {
    return v.is_local() ? find_definition(f.body, v) : InstId::none();
  }

  [[nodiscard]] InstId find_definition(ir::RegionId region, ir::ValueId v) const {
    for (InstId id : m_.regions[region].insts) {
      const Inst& inst = m_.insts[id];
      if (inst.result_count != 0 && inst.first_result == v) return id;
      for (ir::RegionId r : m_.inst_regions(inst)) {
        if (const InstId found = find_definition(r, v)) return found;
      }
    }
    return InstId::none();
  }

  FlowSummary summary(const ir::Function& f, const FlowWalk& walk, const std::vector<FlowNeed>& open) const {
    const size_t n = f.params.size();
    FlowSummary s;
    const std::vector<uint32_t> result = walk.graph.reach({kResult}, false);
    s.result_differs = result[kMayDiffer] != kNoNode;
    s.contents_differ.assign(n, false);
    s.flows.assign(n, std::vector<bool>(n, false));
    s.needs.assign(n, InstId::none());
    s.conditions.assign(n, InstId::none());
    for (size_t i = 0; i < n; ++i) {
      s.result_needs.push_back(result[walk.param(i)] != kNoNode);
      if (!m_.types().is_pointer(f.value_types[f.params[i].value.index()])) continue;
      const std::vector<uint32_t> after = walk.graph.reach({walk.contents_after(i)}, false);
      s.contents_differ[i] = after[kMayDiffer] != kNoNode;
      for (size_t j = 0; j < n; ++j) s.flows[i][j] = after[walk.param(j)] != kNoNode;
    }
    std::vector<uint32_t> roots;
    for (const FlowNeed& need : open) roots.push_back(need.node);
    const std::vector<uint32_t> from = walk.graph.reach(roots, false);
    const auto origin = [&](uint32_t node, InstId& condition) {
      for (; from[node] != node; node = from[node]) {
        const InstId tag = walk.graph.tag(node);
        if (tag && decides(m_.insts[tag].op)) condition = tag;
      }
      for (const FlowNeed& need : open) {
        if (need.node != node) continue;
        const InstId tag = walk.graph.tag(node);
        if (need.condition)
          condition = need.condition;
        else if (tag && decides(m_.insts[tag].op))
          condition = tag;
        return need.barrier;
      }
      return InstId::none();
    };
    InstId unused;
    if (from[kStart] != kNoNode) s.barrier = origin(kStart, unused);
    for (size_t i = 0; i < n; ++i) {
      if (from[walk.param(i)] != kNoNode) s.needs[i] = origin(walk.param(i), s.conditions[i]);
    }
    return s;
  }

  const ir::Module& m_;
  std::vector<FlowSummary> summaries_;
  std::vector<DivergentBarrier> found_;
};

}  // namespace

std::vector<DivergentBarrier> find_divergent_barriers(const ir::Module& module) { return Finder(module).run(); }

}  // namespace carry::analysis
