// Draws the graph of one function: nodes for values, variables and control flow. Internal to this folder.
#pragma once

#include <utility>
#include <vector>

#include "analysis/flow_graph.h"

namespace carry::analysis {

/// What a caller must know of a function.
struct FlowSummary {
  ir::InstId barrier;                    // set: every call needs uniform control flow, because of this barrier
  bool result_differs = false;           // the result may differ whatever the arguments are
  std::vector<bool> result_needs;        // by parameter: the result is uniform only if it is
  std::vector<bool> contents_differ;     // pointer parameter: may differ after the call
  std::vector<std::vector<bool>> flows;  // flows[i][j]: the contents of i depend on parameter j
  std::vector<ir::InstId> needs;         // by parameter: must be uniform because of this barrier
  std::vector<ir::InstId> conditions;    // likewise: the condition that it decides
};

/// Nodes with a fixed place.
enum FlowNode : uint32_t { kMayDiffer, kStart, kResult, kFirstParam };

/// A place that all invocations must reach together, or a value that must be uniform.
struct FlowNeed {
  uint32_t node;
  ir::InstId barrier;
  ir::InstId call;       // none, or the call whose callee has the barrier
  ir::InstId condition;  // inside the callee
};

class FlowWalk {
 public:
  FlowWalk(const ir::Module& module, const ir::Function& function, const std::vector<FlowSummary>& summaries, bool samples);
  void run();

  FlowGraph graph;
  std::vector<FlowNeed> needs;
  [[nodiscard]] uint32_t param(size_t i) const { return kFirstParam + static_cast<uint32_t>(i); }
  [[nodiscard]] uint32_t contents_after(size_t i) const { return param(f_.params.size() + i); }

 private:
  enum Behavior : uint8_t { kNext = 1, kBreak = 2, kContinue = 4, kReturn = 8 };
  struct Flow {
    uint32_t at;
    uint8_t behavior;
  };
  using Values = std::vector<std::pair<uint32_t, uint32_t>>;  // variable and its node
  struct Frame {
    size_t mark;
    std::vector<Values> leaves, continues;
  };

  Flow region(ir::RegionId id, uint32_t at);
  Flow inst(ir::InstId id, uint32_t at);
  Flow branch(ir::InstId id, uint32_t at);
  Flow loop(ir::InstId id, uint32_t at);
  Flow switch_(ir::InstId id, uint32_t at);
  Flow terminator(ir::InstId id, uint32_t at);
  void call(ir::InstId id, uint32_t at);
  void value(ir::InstId id, uint32_t at);
  void store(ir::InstId id, uint32_t at);
  [[nodiscard]] bool is_uniform_resource(TypeId type) const;
  [[nodiscard]] bool is_own(ir::ValueId pointer) const;
  [[nodiscard]] bool may_differ(const ir::Inst& inst) const;
  [[nodiscard]] uint32_t node_of(ir::ValueId v) const { return v.is_local() ? nodes_[v.index()] : kNoNode; }
  [[nodiscard]] ir::ValueId root(ir::ValueId pointer) const;

  void set(uint32_t variable, uint32_t node);
  [[nodiscard]] Values changed_since(size_t mark);
  void undo(size_t mark);
  void join(ir::InstId tag, const std::vector<Values>& ways);
  void stored_in(ir::RegionId id, std::vector<uint32_t>& out);

  const ir::Module& m_;
  const ir::Function& f_;
  const std::vector<FlowSummary>& summaries_;
  bool samples_;                                    // sampling without a level compares lanes
  std::vector<ir::InstId> definitions_;             // by local
  std::vector<uint32_t> nodes_;                     // of values by local
  std::vector<uint32_t> current_;                   // of what a variable or pointer parameter holds here
  std::vector<std::pair<uint32_t, uint32_t>> log_;  // variable and its former node, to go back before a branch
  std::vector<uint32_t> stamps_, slots_;
  uint32_t stamp_ = 0;
  std::vector<Frame> frames_;  // open loops and switches
};

}  // namespace carry::analysis
