/// Int and bool matrices that lie by the other line than their array of rows says: memory becomes the array of the other lines,
/// whole values are put across at each access. Targets know strides of matrices only, not of an array's vectors.
///   before  global %m: storage read_write array<vec3<i32>, 2> $arr(24, 4, 4, vec(12, 4, 8)) ...   %p = at %m, 1, 2
///   after   global %m: storage read_write array<vec2<i32>, 3> $arr(24, 4, 8, vec(8, 4)) ...       %p = at %m, 2, 1
#include "pass/memory_access.h"
#include "types/layout_crossed.h"

namespace carry::pass {

namespace {

class CrossMatrices : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;

  void run_all() {
    crossed_ = find_crossed(m().layouts());
    for (ir::GlobalId id : m().global_order) {
      const ir::Global& g = m().globals[id];
      if (g.kind != ir::GlobalKind::variable || !crossed(g.layout)) continue;
      reshape(id, shapes_.root(g.value_type, g.layout, false, nullptr));
    }
    run();
  }

 private:
  [[nodiscard]] bool crossed(LayoutId layout) const {
    return layout && layout.value < crossed_.size() && crossed_[layout.value];
  }
  ShapeId param_shape(TypeId pointer) override {
    const Type p = types()[pointer];
    return crossed(p.layout) ? shapes_.root(p.element, p.layout, false, nullptr) : ShapeId{};
  }

  bool visit_other(const ir::Inst& inst) override {
    if (inst.op != Op::at_byte) return false;
    const Type p = types()[result_type(inst)];
    if (!crossed(p.layout)) return false;
    const ShapeId shape = shapes_.root(p.element, p.layout, false, nullptr);
    const TypeId memory = shapes_[shape].memory;
    const TypeId pointer = types().pointer(p.space, p.access, memory, shapes_.layout_of(memory, p.layout));
    set_place(inst, {b().emit(Op::at_byte, pointer, mapped_operands(inst), inst.payload, inst.flags), shape, {}});
    return true;
  }

  std::vector<bool> crossed_;  // by LayoutId, before the pass
};

}  // namespace

void cross_matrices(PassContext& context) {
  ShapeTable::Options options;
  options.same_layout = options.cross = true;
  CrossMatrices(context, options).run_all();
}

}  // namespace carry::pass
