#include "analysis/flow_graph.h"

namespace carry::analysis {

std::vector<uint32_t> FlowGraph::reach(const std::vector<uint32_t>& roots, bool backwards) const {
  std::vector<uint32_t> first(size() + 1, 0), targets(edges_.size());
  for (const Edge& e : edges_) ++first[(backwards ? e.to : e.from) + 1];
  for (size_t i = 0; i < size(); ++i) first[i + 1] += first[i];
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const Edge& e : edges_) targets[next[backwards ? e.to : e.from]++] = backwards ? e.from : e.to;
  std::vector<uint32_t> step(size(), kNoNode), queue;
  for (uint32_t r : roots) {
    if (step[r] != kNoNode) continue;
    step[r] = r;
    queue.push_back(r);
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t n = queue[i];
    for (uint32_t t = first[n]; t < first[n + 1]; ++t) {
      if (step[targets[t]] != kNoNode) continue;
      step[targets[t]] = n;
      queue.push_back(targets[t]);
    }
  }
  return step;
}

}  // namespace carry::analysis
