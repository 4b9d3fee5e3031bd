// Forwarding of stored values to loads, shared by the optimisation and by `resolve_resources`.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/rewriter.h"

namespace carry::pass {

/// Replaces whole loads of variables of the function by the value stored last, where that is known on every way: the store
/// stands before in this region or one around it, and no construct in between stores too. Variables whose pointer is used by
/// anything else than whole loads and stores stay.
class ForwardStores : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  /// Which variables to look at.
  virtual bool considers(TypeId) { return true; }
  /// A load of a considered variable without a known value; true: handled.
  virtual bool unknown_load(const ir::Inst&) { return false; }

  bool wants(ir::FunctionId id) override;
  bool visit(const ir::Inst& inst) override;

 private:
  void find_vars(ir::RegionId region);
  /// Forgets variables that the region stores to.
  void forget_stored(ir::RegionId region);
  bool control(const ir::Inst& inst);

  std::unordered_set<uint32_t> vars_;                // old locals
  std::unordered_map<uint32_t, ir::ValueId> known_;  // old variable -> new value
};

}  // namespace carry::pass
