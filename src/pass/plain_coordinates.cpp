/// Divides projected coordinates (and their depth reference) by the last component, adds the offset of a texel fetch to its
/// coordinate: text targets have neither.
///   before  %c = sample %t, %s, %xyq project=1          %f = fetch %t, %at lod=0 offset=%o
///   after   %c = sample %t, %s, %xyq.xy / %xyq.zz       %f = fetch %t, %at + %o lod=0
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::SampleInfo;
using ir::ValueId;

class PlainCoordinates : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op != Op::sample && inst.op != Op::gather && inst.op != Op::fetch) return false;
    SampleInfo info = SampleInfo::unpack(inst.payload);
    std::vector<ValueId> operands = mapped_operands(inst);
    if (inst.op != Op::fetch) {
      if ((info.mask & ir::kSampleProject) == 0) return false;
      divide(info, operands);
      info.mask = static_cast<uint16_t>(info.mask & ~ir::kSampleProject);
    } else {
      if ((info.mask & ir::kSampleOffset) == 0) return false;
      const size_t at = (info.mask & ir::kSampleLod) != 0 ? 3 : 2;
      operands[1] = moved(operands[1], operands[at]);
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(at));
      info.mask = static_cast<uint16_t>(info.mask & ~ir::kSampleOffset);
    }
    Inst plain = inst;
    plain.payload = info.pack();
    keep_with(plain, operands);
    return true;
  }

 private:
  void divide(const SampleInfo& info, std::vector<ValueId>& operands) {
    static constexpr uint32_t kFirst[] = {0, 1, 2, 3};
    const size_t at = (info.mask & ir::kSampleHasSampler) != 0 ? 2 : 1;
    const ValueId all = operands[at];
    const uint32_t count = types().component_count(type_of(all)) - 1;
    const ValueId divisor = b().elem(all, count);
    if (count == 1) {
      operands[at] = b().binary(Op::fdiv, b().elem(all, 0), divisor);
    } else {
      const ValueId head = b().shuffle(all, all, std::span<const uint32_t>(kFirst, count));
      const std::vector<ValueId> spread(count, divisor);
      operands[at] = b().binary(Op::fdiv, head, b().make(type_of(head), spread));
    }
    if ((info.mask & ir::kSampleCompare) != 0) operands[at + 1] = b().binary(Op::fdiv, operands[at + 1], divisor);
  }

  /// The last component of an array's coordinate, the layer, has no part in the offset.
  ValueId moved(ValueId at, ValueId offset) {
    const TypeId to = type_of(at);
    const uint32_t count = types().component_count(to);
    const TypeId from = types().with_scalar(type_of(offset), types().scalar_of(to));
    if (from != type_of(offset)) offset = b().convert(Op::bitcast, from, offset);
    const uint32_t given = types().component_count(from);
    if (given < count) {
      std::vector<ValueId> parts;
      for (uint32_t i = 0; i < given; ++i) parts.push_back(given == 1 ? offset : b().elem(offset, i));
      parts.resize(count, b().zero(types().scalar(types().scalar_of(to))));
      offset = b().make(to, parts);
    }
    return b().binary(Op::add, at, offset);
  }
};

}  // namespace

void plain_coordinates(PassContext& context) { PlainCoordinates(context.module).run(); }

}  // namespace carry::pass
