/// WGSL has no push constants: a uniform buffer at group 3, binding 0 takes their place (cli.md "Bindings").
///   before  global %k: push u32 $std430   after  global %k: uniform u32 $std430 @bind(3, 0)
#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

constexpr uint32_t kGroup = 3;
constexpr uint32_t kBinding = 0;

struct PushToUniform : ir::Rewriter {
  using Rewriter::Rewriter;
  /// Paths get their type anew from the global's.
  bool visit(const ir::Inst& inst) override {
    if (inst.op != Op::at || types()[result_type(inst)].space != Space::push) return false;
    const std::vector<ir::ValueId> operands = mapped_operands(inst);
    replace(inst, 0, b().at(operands[0], std::span<const ir::ValueId>(operands).subspan(1), inst.flags));
    return true;
  }
};

}  // namespace

void push_to_uniform(PassContext& context) {
  ir::Module& m = context.module;
  bool found = false;
  for (ir::GlobalId id : m.global_order) {
    const ir::Global& g = m.globals[id];
    if (g.set != kGroup || g.binding != kBinding || g.space == Space::push) continue;
    context.error(g.loc, diag::not_supported_yet, "push constants beside a resource at group 3, binding 0");
    return;
  }
  for (ir::GlobalId id : m.global_order) {
    ir::Global& g = m.globals[id];
    if (g.kind != ir::GlobalKind::variable || g.space != Space::push) continue;
    if (found) {
      context.error(g.loc, diag::not_supported_yet, "a second block of push constants");
      return;
    }
    found = true;
    g.space = Space::uniform;
    g.access = Access::read;
    g.set = kGroup;
    g.binding = kBinding;
    g.type = m.types().pointer(g.space, g.access, g.value_type, g.layout);
  }
  PushToUniform(m).run();
}

}  // namespace carry::pass
