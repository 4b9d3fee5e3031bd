#include "pass/atomic_touches.h"

#include <utility>

namespace carry::pass {

using ir::Inst;
using ir::ValueId;

void AtomicTouches::collect_all() {
  touches_.resize(m_.globals.size());
  for (ir::FunctionId id : m_.function_order) {
    paths_.clear();
    collect(m_.functions[id], m_.functions[id].body);
  }
}

AtomicTouches::Path AtomicTouches::path_of(ValueId v) const {
  if (v.is_global()) return {v.global_id(), {}};
  if (!v.is_local()) return {};
  const auto found = paths_.find(v.index());
  return found == paths_.end() ? Path{} : found->second;
}

void AtomicTouches::collect(const ir::Function& f, ir::RegionId region) {
  for (ir::InstId i : m_.regions[region].insts) {
    const Inst inst = m_.insts[i];
    if (inst.op == Op::at) step(inst, f);
    if (has_trait(inst.op, kAtomic)) touch(inst, f);
    for (ir::RegionId r : m_.inst_regions(inst)) collect(f, r);
  }
}

void AtomicTouches::step(const Inst& inst, const ir::Function& f) {
  const TypeTable& types = m_.types();
  Path path = path_of(m_.operand(inst, 0));
  if (!path.global || m_.globals[path.global].kind != ir::GlobalKind::variable) return;
  TypeId t = types[m_.type_of(f, m_.operand(inst, 0))].element;
  for (ValueId s : m_.operands(inst).subspan(1)) {
    const uint32_t index = s.is_constant() ? static_cast<uint32_t>(types.constant(s.const_id()).bits) : 0;
    path.steps.push_back(types.kind(t) == TypeKind::struct_ ? index : 0);
    t = m_.types().part(t, index);
  }
  paths_[inst.first_result.index()] = std::move(path);
}

void AtomicTouches::touch(const Inst& inst, const ir::Function& f) {
  const ValueId pointer = m_.operand(inst, 0);
  const Type p = m_.types()[m_.type_of(f, pointer)];
  if (p.space == Space::handle || m_.types().kind(p.element) == TypeKind::atomic || !filter_(inst, p.element)) return;
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

}  // namespace carry::pass
