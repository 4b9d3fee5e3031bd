/// WGSL has atomics only on `atomic<u32>` and `atomic<i32>`, declared in the type of the global (semantics.md 6.4): what an
/// atomic touches anywhere gets such a type, plain accesses to it become atomic loads and stores, vectors that hold one are
/// taken apart, floats are kept as bits, the rarer sign of minimum and maximum becomes a compare-exchange loop.
///   before  global %n: workgroup array<u32, 4>           %p = at %n, 1  %v = load %p  %o = atomic_add %p, 1u
///   after   global %n: workgroup array<atomic<u32>, 4>   %p = at %n, 1  %v = atomic_load %p  %o = atomic_add %p, 1u
#include "pass/memory_access.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::Inst;
using ir::ValueId;

class RetypeAtomics : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;

  void run_all() {
    touches_.resize(m().globals.size());
    for (ir::FunctionId id : m().function_order) {
      paths_.clear();
      collect(m().functions[id], m().functions[id].body);
    }
    for (GlobalId id : m().global_order) {
      if (id.value >= touches_.size() || !touches_[id.value]) continue;
      Global& g = m().globals[id];
      const ShapeId shape = shapes_.root(g.value_type, g.layout, false, touches_[id.value].get());
      if (!shape) {
        context_.error(g.loc, diag::not_supported_yet, "atomics in memory of this layout");
        return;
      }
      g.access = Access::read_write;
      reshape(id, shape);
    }
    run();
  }

 private:
  struct Path {
    GlobalId global;
    std::vector<uint32_t> steps;
  };

  Path path_of(ValueId v) {
    if (v.is_global()) return {v.global_id(), {}};
    if (!v.is_local()) return {};
    const auto found = paths_.find(v.index());
    return found == paths_.end() ? Path{} : found->second;
  }

  void collect(const ir::Function& f, ir::RegionId region) {
    for (ir::InstId i : m().regions[region].insts) {
      const Inst inst = m().insts[i];
      if (inst.op == Op::at) step(inst, f);
      if (has_trait(inst.op, kAtomic)) touch(inst, f);
      for (ir::RegionId r : m().inst_regions(inst)) collect(f, r);
    }
  }

  void step(const Inst& inst, const ir::Function& f) {
    Path path = path_of(m().operand(inst, 0));
    if (!path.global || m().globals[path.global].kind != ir::GlobalKind::variable) return;
    TypeId t = types()[m().type_of(f, m().operand(inst, 0))].element;
    for (ValueId s : m().operands(inst).subspan(1)) {
      const uint32_t index = s.is_constant() ? static_cast<uint32_t>(types().constant(s.const_id()).bits) : 0;
      path.steps.push_back(types().kind(t) == TypeKind::struct_ ? index : 0);
      t = types().part(t, index);
    }
    paths_[inst.first_result.index()] = std::move(path);
  }

  void touch(const Inst& inst, const ir::Function& f) {
    const ValueId pointer = m().operand(inst, 0);
    const Type p = types()[m().type_of(f, pointer)];
    if (p.space == Space::handle || types().kind(p.element) == TypeKind::atomic) return;
    const Path path = path_of(pointer);
    if (!path.global) {
      context_.error(inst.loc, diag::not_supported_yet, "an atomic on memory behind a parameter");
      return;
    }
    std::unique_ptr<Touch>& root = touches_[path.global.value];
    if (!root) root = std::make_unique<Touch>();
    Touch* t = root.get();
    for (uint32_t s : path.steps) t = &t->child(s);
    t->atomic = true;
    t->signed_order = t->signed_order || inst.op == Op::atomic_smin || inst.op == Op::atomic_smax;
    t->unsigned_order = t->unsigned_order || inst.op == Op::atomic_umin || inst.op == Op::atomic_umax;
  }

  std::vector<std::unique_ptr<Touch>> touches_;  // by GlobalId
  std::unordered_map<uint32_t, Path> paths_;     // by local of the function being looked at
};

}  // namespace

void retype_atomics(PassContext& context) {
  ShapeTable::Options options;
  options.rule = context.config.storage_rule;
  RetypeAtomics(context, options).run_all();
}

}  // namespace carry::pass
