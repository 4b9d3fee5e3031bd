// Who sees what was written: coherent buffers and textures (MSL 4.8), and a thread's own writes to a texture (MSL 6.12.17).
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Function;
using ir::Inst;
using ir::RegionId;
using ir::ValueId;

namespace {

constexpr uint32_t kNoParam = 0xffffffffu;

ir::LocId weakened(const ir::Module& m, const Function& f, RegionId region) {
  for (ir::InstId i : m.regions[region].insts) {
    const Inst& inst = m.insts[i];
    const bool memory = inst.op == Op::load || inst.op == Op::store;
    if (memory && (inst.flags & (ir::kCoherent | ir::kVolatile)) != 0 &&
        !has_volatile_pointer(m.types(), m.type_of(f, m.operand(inst, 0))))
      return inst.loc;
    for (RegionId r : m.inst_regions(inst)) {
      if (const ir::LocId found = weakened(m, f, r)) return found;
    }
  }
  return {};
}

/// A storage image of an entry that is coherent.
ir::LocId coherent_image(const ir::Module& m, const Function& f) {
  for (const std::vector<ir::IoAttr>& list : f.param_io) {
    for (const ir::IoAttr& io : list) {
      if (!io.resource || m.globals[io.resource].space != Space::handle) continue;
      if ((m.globals[io.resource].flags & (ir::kGlobalCoherent | ir::kGlobalVolatile)) != 0) return m.globals[io.resource].loc;
    }
  }
  return {};
}

}  // namespace

bool has_volatile_pointer(const TypeTable& types, TypeId pointer) {
  const Type& p = types[pointer];
  const Type& pointee = types[p.element];
  const bool plain =
      pointee.kind == TypeKind::scalar || (pointee.kind == TypeKind::vector && (pointee.flags & kVectorPacked) == 0);
  return plain && (p.space == Space::storage || p.space == Space::workgroup);
}

ir::LocId first_weakened(const ir::Module& module, const Options& options) {
  if (options.version >= 302) return {};
  for (ir::FunctionId id : module.function_order) {
    const Function& f = module.functions[id];
    if (f.dead) continue;
    if (const ir::LocId found = weakened(module, f, f.body)) return found;
    if (const ir::LocId found = coherent_image(module, f)) return found;
  }
  return {};
}

uint32_t Writer::param_of(const Function& f, ValueId v) const {
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (f.params[i].value == v) return static_cast<uint32_t>(i);
  }
  return kNoParam;
}

bool Writer::is_coherent(ValueId pointer) const {
  while (pointer.is_local()) {
    const ir::InstId definition = fold_->definition(pointer);
    if (!definition) break;
    const Op op = m_.insts[definition].op;
    if (op != Op::at && op != Op::at_byte) return false;
    pointer = m_.operand(m_.insts[definition], 0);
  }
  const uint32_t param = pointer.is_local() ? param_of(*fn_, pointer) : kNoParam;
  return param != kNoParam && coherent_[fn_id_.value][param];
}

/// Parameters that a coherent access goes through.
void Writer::mark_coherent(ir::FunctionId id, RegionId region, std::unordered_map<uint32_t, uint32_t>& roots) {
  std::vector<bool>& marked = coherent_[id.value];
  const Function& f = m_.functions[id];
  for (ir::InstId i : m_.regions[region].insts) {
    const Inst& inst = m_.insts[i];
    if (inst.operands.count != 0 && m_.operand(inst, 0).is_local()) {
      const ValueId pointer = m_.operand(inst, 0);
      const auto found = roots.find(pointer.index());
      const uint32_t root = found != roots.end() ? found->second : param_of(f, pointer);
      if (root != kNoParam && (inst.op == Op::at || inst.op == Op::at_byte)) roots[inst.first_result.index()] = root;
      if (root != kNoParam && (inst.flags & ir::kCoherent) != 0) marked[root] = true;
    }
    for (RegionId r : m_.inst_regions(inst)) mark_coherent(id, r, roots);
  }
}

/// A parameter and the arguments for it are one memory. True when something changed.
bool Writer::join_coherent(ir::FunctionId id, RegionId region) {
  std::vector<bool>& mine = coherent_[id.value];
  bool changed = false;
  for (ir::InstId i : m_.regions[region].insts) {
    const Inst& inst = m_.insts[i];
    for (RegionId r : m_.inst_regions(inst)) changed = join_coherent(id, r) || changed;
    if (inst.op != Op::call) continue;
    std::vector<bool>& theirs = coherent_[inst.payload];
    for (uint32_t a = 0; a < inst.operands.count; ++a) {
      const uint32_t p = param_of(m_.functions[id], m_.operand(inst, a));
      if (p == kNoParam || mine[p] == theirs[a]) continue;
      mine[p] = theirs[a] = changed = true;
    }
  }
  return changed;
}

/// Metal 3.2 can say it; before, accesses are volatile at least.
void Writer::find_coherent() {
  coherent_.resize(m_.functions.size());
  for (ir::FunctionId id : m_.function_order) {
    const Function& f = m_.functions[id];
    coherent_[id.value].assign(f.params.size(), false);
    if (options_.version < 302 || f.dead) continue;
    for (size_t i = 0; i < f.param_io.size() && i < f.params.size(); ++i) {
      if (f.param_io[i].size() != 1 || !f.param_io[i][0].resource) continue;
      const ir::Global& g = m_.globals[f.param_io[i][0].resource];
      const bool memory = g.space == Space::storage || g.space == Space::handle;
      coherent_[id.value][i] = memory && (g.flags & ir::kGlobalCoherent) != 0;
    }
    std::unordered_map<uint32_t, uint32_t> roots;
    mark_coherent(id, f.body, roots);
  }
  for (bool changed = options_.version >= 302; changed;) {
    changed = false;
    for (ir::FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead) changed = join_coherent(id, m_.functions[id].body) || changed;
    }
  }
}

/// Reads or writes a texture that is both read and written.
bool Writer::touches_image(const Inst& inst, bool reads) const {
  if (op_row(inst.op).traits & kAtomic) {
    if (m_.types()[type_of(m_.operand(inst, 0))].space != Space::handle) return false;
    return inst.op != (reads ? Op::atomic_store : Op::atomic_load);
  }
  const auto read_write = [this](ValueId v) {
    Type t = m_.types()[type_of(v)];
    if (t.kind == TypeKind::bindings) t = m_.types()[t.element];
    return t.kind == TypeKind::image && t.access == Access::read_write;
  };
  if (inst.op == Op::call && reads) {
    for (ValueId v : m_.operands(inst)) {
      if (read_write(v)) return true;
    }
    return false;
  }
  return inst.op == (reads ? Op::image_read : Op::image_write) && read_write(m_.operand(inst, 0));
}

bool Writer::reads_image(RegionId region) const {
  for (ir::InstId i : m_.regions[region].insts) {
    if (touches_image(m_.insts[i], true)) return true;
    for (RegionId r : m_.inst_regions(m_.insts[i])) {
      if (reads_image(r)) return true;
    }
  }
  return false;
}

/// Notes the writes that a read of the same thread may follow. In: whether one follows the region; out: or is in it.
bool Writer::find_fences(RegionId region, bool read_later) {
  const std::vector<ir::InstId>& insts = m_.regions[region].insts;
  for (size_t i = insts.size(); i-- > 0;) {
    const Inst& inst = m_.insts[insts[i]];
    bool inside = read_later;
    if (inst.op == Op::loop) {
      for (RegionId r : m_.inst_regions(inst)) inside = inside || reads_image(r);
    }
    bool after = inside;
    for (RegionId r : m_.inst_regions(inst)) after = find_fences(r, inside) || after;
    if (read_later && touches_image(inst, false)) fences_.insert(insts[i].value);
    read_later = after || touches_image(inst, true);
  }
  return read_later;
}

}  // namespace carry::write::msl
