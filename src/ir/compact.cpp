#include "ir/compact.h"

namespace carry::ir {

namespace {

class Compactor {
 public:
  explicit Compactor(Module& m) : m_(m) {}

  void run() {
    for (InstId& id : m_.module_insts) id = inst(id);
    for (FunctionId id : m_.functions.ids()) {
      Function& f = m_.functions[id];
      if (f.dead) {
        f.body = RegionId::none();
      } else {
        f.body = region(f.body);
      }
    }
    m_.insts = std::move(insts_);
    m_.regions = std::move(regions_);
    m_.operand_pool = std::move(operands_);
    m_.region_pool = std::move(region_ids_);
    m_.switches = std::move(switches_);
  }

 private:
  InstId inst(InstId old) {
    Inst in = m_.insts[old];
    const std::span<const ValueId> operands = m_.operands(m_.insts[old]);
    in.operands.first = static_cast<uint32_t>(operands_.size());
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    if (in.op == Op::switch_) {
      switches_.push_back(m_.switches[in.payload]);
      in.payload = static_cast<uint32_t>(switches_.size() - 1);
    }
    std::vector<RegionId> inner;
    for (uint32_t i = 0; i < in.regions.count; ++i) inner.push_back(region(m_.inst_region(m_.insts[old], i)));
    in.regions.first = static_cast<uint32_t>(region_ids_.size());
    region_ids_.insert(region_ids_.end(), inner.begin(), inner.end());
    return insts_.add(in);
  }

  RegionId region(RegionId old) {
    Region r = m_.regions[old];
    for (InstId& id : r.insts) id = inst(id);
    return regions_.add(std::move(r));
  }

  Module& m_;
  Store<InstId, Inst> insts_;
  Store<RegionId, Region> regions_;
  std::vector<ValueId> operands_;
  std::vector<RegionId> region_ids_;
  std::vector<SwitchInfo> switches_;
};

}  // namespace

void compact(Module& module) { Compactor(module).run(); }

}  // namespace carry::ir
