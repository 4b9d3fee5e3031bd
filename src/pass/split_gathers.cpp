/// A gather with four offsets becomes four gathers with one each: text targets have a single offset. Each picks the texel
/// (0, 0) of its own footprint, which a gather gives as its last component.
///   before  %g = gather %t, %s, %at offsets=%o
///   after   %g0 = gather %t, %s, %at offset=%o[0]  ...  %g = make vec4(%g0.w, %g1.w, %g2.w, %g3.w)
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::SampleInfo;
using ir::ValueId;

class SplitGathers : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op != Op::gather) return false;
    SampleInfo info = SampleInfo::unpack(inst.payload);
    if ((info.mask & ir::kSampleOffsets) == 0) return false;
    const std::vector<ValueId> operands = mapped_operands(inst);
    size_t at = 2;
    for (uint16_t bit : {ir::kSampleHasSampler, ir::kSampleCompare, ir::kSampleBias, ir::kSampleLod, ir::kSampleOffset})
      at += (info.mask & bit) != 0 ? 1 : 0;
    at += (info.mask & ir::kSampleGrad) != 0 ? 2 : 0;
    info.mask = static_cast<uint16_t>((info.mask & ~ir::kSampleOffsets) | ir::kSampleOffset);
    const TypeId result = result_type(inst);
    std::vector<ValueId> texels;
    for (uint32_t i = 0; i < 4; ++i) {
      std::vector<ValueId> mine = operands;
      mine[at] = offset(operands[at], i);
      texels.push_back(b().elem(b().emit(Op::gather, result, mine, info.pack()), 3));
    }
    replace(inst.first_result, b().make(result, texels));
    return true;
  }

 private:
  ValueId offset(ValueId all, uint32_t i) {
    if (!all.is_constant()) return b().elem(all, i);
    return ValueId::constant(types().part_of(all.const_id(), i));
  }
};

}  // namespace

void split_gathers(PassContext& context) { SplitGathers(context.module).run(); }

}  // namespace carry::pass
