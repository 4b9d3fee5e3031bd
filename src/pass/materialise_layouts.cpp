/// Puts layouts into types: every laid-out global gets a type whose natural layout in the target places each byte as before.
/// bool becomes u32, row-major matrices are transposed at each access, odd strides and offsets become element structs and
/// padding members. What is natural already stays as it is; what no type can say becomes an array of words.
///   before  struct P { m: mat4x4<f32>, on: bool }   global %p: uniform P $std140.row @bind(0, 0)   %a = at %p, 0  %v = load %a
///   after   struct P.2 { m: mat4x4<f32>, on: u32 }  global %p: uniform P.2 $wgsl_storage @bind(0, 0)  ... %v = transpose %t
#include "pass/buffer_words.h"
#include "pass/memory_access.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::Inst;

class MaterialiseLayouts : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;

  void run_all() {
    std::vector<GlobalId> odd;
    for (GlobalId id : m().global_order) {
      const Global& g = m().globals[id];
      if (!is_laid_out(g) || root_of(g)) continue;
      odd.push_back(id);
      if (types().kind(g.value_type) != TypeKind::bindings && g.layout) continue;
      context_.error(g.loc, diag::not_supported_yet, "an array of buffers whose layout the target's types cannot say");
      return;
    }
    if (!odd.empty()) buffers_to_words(context_, odd);
    if (context_.failed) return;
    for (GlobalId id : m().global_order) {
      const Global& g = m().globals[id];
      if (is_laid_out(g)) reshape(id, root_of(g));
    }
    run();
    m().layouts_in_types = true;
  }

 private:
  static bool is_laid_out(const Global& g) {
    return g.kind == ir::GlobalKind::variable && g.layout && (g.flags & ir::kGlobalByteAddress) == 0;
  }
  ShapeId root_of(const Global& g) {
    return shapes_.root(g.value_type, g.layout, g.space == Space::uniform || g.space == Space::push, nullptr);
  }
  ShapeId param_shape(TypeId pointer) override {
    const Type p = types()[pointer];
    return p.layout ? shapes_.root(p.element, p.layout, p.space == Space::uniform || p.space == Space::push, nullptr)
                    : ShapeId{};
  }

  /// A typed pointer into a byte buffer: aligned like its scalar, at least to 4 where that is wider.
  bool visit_other(const Inst& inst) override {
    if (inst.op != Op::at_byte) return false;
    const Type p = types()[result_type(inst)];
    const ShapeId shape = p.layout ? shapes_.root(p.element, p.layout, false, nullptr, 4) : ShapeId{};
    if (!shape) {
      context_.error(inst.loc, diag::not_supported_yet, "this type in a byte-address buffer");
      return false;
    }
    const TypeId memory = shapes_[shape].memory;
    const TypeId pointer = types().pointer(p.space, p.access, memory, shapes_.layout_of(memory, p.layout));
    set_place(inst, {b().emit(Op::at_byte, pointer, mapped_operands(inst), inst.payload, inst.flags), shape, {}});
    return true;
  }
};

}  // namespace

void materialise_layouts(PassContext& context) {
  ShapeTable::Options options;
  options.rule = context.config.storage_rule;
  options.packed_vectors = context.config.packed_vectors;
  options.narrow_ints = !context.config.lacks.has(ir::Feature::int8);
  options.wgsl_uniform = context.config.uniform_rule == LayoutRule::wgsl_uniform;
  MaterialiseLayouts(context, options).run_all();
}

}  // namespace carry::pass
