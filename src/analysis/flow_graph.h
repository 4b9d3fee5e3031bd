// The graph of a uniformity analysis: an edge from a to b says that a is uniform only if b is. Internal to this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ir/module.h"

namespace carry::analysis {

constexpr uint32_t kNoNode = 0xffffffffu;

class FlowGraph {
 public:
  uint32_t add(ir::InstId tag, std::initializer_list<uint32_t> to = {}) {
    tags_.push_back(tag);
    const uint32_t node = static_cast<uint32_t>(tags_.size() - 1);
    for (uint32_t t : to) edge(node, t);
    return node;
  }
  void edge(uint32_t from, uint32_t to) {
    if (from != kNoNode && to != kNoNode) edges_.push_back({from, to});
  }
  [[nodiscard]] ir::InstId tag(uint32_t node) const { return tags_[node]; }
  [[nodiscard]] size_t size() const { return tags_.size(); }

  /// `step[n]`: the neighbour of n on a shortest way between n and one of `roots`; roots have themselves, others kNoNode.
  [[nodiscard]] std::vector<uint32_t> reach(const std::vector<uint32_t>& roots, bool backwards) const;

 private:
  struct Edge {
    uint32_t from, to;
  };
  std::vector<ir::InstId> tags_;
  std::vector<Edge> edges_;
};

}  // namespace carry::analysis
