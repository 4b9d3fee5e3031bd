/// WGSL and Metal-by-our-writers have no case that falls into the next: the next case's instructions are written again in its
/// place. The growth is bounded; a chain that would pass the bound is an error, not a slow compile.
///   before  case 1 { A fallthrough } case 2 { B yield }
///   after   case 1 { A B yield } case 2 { B yield }
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::RegionId;

constexpr uint32_t kMaxCopies = 4096;

class ExpandFallthrough : public ir::Rewriter {
 public:
  explicit ExpandFallthrough(PassContext& context) : Rewriter(context.module), context_(context) {}

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op == Op::switch_) {
      // Regions are rewritten case by case, so that `fallthrough` knows the next one.
      const std::vector<ir::ValueId> operands = mapped_operands(inst);
      std::vector<RegionId> regions;
      for (uint32_t i = 0; i < inst.regions.count; ++i) {
        switches_.push_back({inst, i});
        regions.push_back(rewrite_region(m().inst_region(inst, i)));
        switches_.pop_back();
      }
      b().set_loc(inst.loc);
      keep_with(inst, operands, regions);
      return true;
    }
    if (inst.op != Op::fallthrough || switches_.empty()) return false;
    if (++copies_ > kMaxCopies) {
      if (!context_.failed) context_.error(inst.loc, diag::not_supported_yet, "this many cases that fall into the next one");
      b().terminator(Op::unreachable);
      return true;
    }
    const Open& open = switches_.back();
    if (meets_lanes(m().inst_region(open.inst, open.region + 1)) && !context_.failed)
      context_.error(inst.loc, diag::not_supported_yet,
                     "a case that falls into one with operations between lanes or barriers: move these behind the switch");
    // By index: the list grows while the next case is rewritten.
    const size_t top = switches_.size() - 1;
    const uint32_t next = ++switches_[top].region;
    rewrite_insts(m().inst_region(switches_[top].inst, next));
    switches_[top].region = next - 1;
    return true;
  }

 private:
  /// Lanes of both cases must meet there, which copies would prevent.
  bool meets_lanes(RegionId region) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& inst = m().insts[id];
      if (has_trait(inst.op, kLanes | kBarrier) && !has_trait(inst.op, kDerivative)) return true;
      if (inst.op == Op::call && meets_lanes(m().functions[ir::FunctionId(inst.payload)].body)) return true;
      for (RegionId r : m().inst_regions(inst)) {
        if (meets_lanes(r)) return true;
      }
    }
    return false;
  }

  struct Open {
    Inst inst;
    uint32_t region;
  };
  PassContext& context_;
  std::vector<Open> switches_;
  uint32_t copies_ = 0;
};

}  // namespace

void expand_fallthrough(PassContext& context) { ExpandFallthrough(context).run(); }

}  // namespace carry::pass
