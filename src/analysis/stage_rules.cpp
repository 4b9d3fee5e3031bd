#include "analysis/stage_rules.h"

#include <algorithm>

namespace carry::analysis {

using ir::Inst;
using ir::InstId;
using ir::Stage;

namespace {

enum class Kind : uint8_t { barrier, buffer, image, shared, lanes, input, other, early_write, early_drop, early_mask, count_ };

constexpr const char* kWhat[] = {
    "barriers outside of compute shaders",
    "writable buffers in vertex shaders: declare the buffer readonly (StructuredBuffer), or write in a compute shader",
    "writable images in vertex shaders: declare the image readonly, or write in a compute shader",
    "memory of a workgroup outside of compute shaders",
    "operations between the lanes of a subgroup in vertex shaders",
    "built-in values of a subgroup in vertex shaders",
    "such built-in values in this stage: hand them on from the vertex shader, at a location",
    "tests of depth and stencil before the shader runs: what is written here would also be written for fragments that fail "
    "them; remove early_fragment_tests (earlydepthstencil), or write in a pass of its own after one for the depth",
    "tests of depth and stencil before the shader runs: a fragment that is discarded here would leave no depth; remove "
    "early_fragment_tests (earlydepthstencil), or write the depth in a pass of its own",
    "tests of depth and stencil before the shader runs: samples that the shader's mask leaves out would leave no depth; "
    "remove early_fragment_tests (earlydepthstencil), or write the depth in a pass of its own",
};

class Rules {
 public:
  explicit Rules(const ir::Module& module) : m_(module), seen_(module.functions.size(), false) {}

  std::vector<StageFault> run() {
    for (ir::FunctionId id : m_.function_order) {
      const ir::Function& f = m_.functions[id];
      if (f.dead || !f.is_entry || f.entry.stage == Stage::compute) continue;
      stage_ = f.entry.stage;
      std::fill(seen_.begin(), seen_.end(), false);
      std::fill(std::begin(reported_), std::end(reported_), false);
      early_ = (f.entry.flags & ir::kEntryEarlyTests) != 0;
      inputs(f);
      if (early_) mask(f);
      function(id);
    }
    return std::move(found_);
  }

 private:
  void report(Kind kind, ir::LocId loc) {
    bool& done = reported_[static_cast<size_t>(kind)];
    if (!done) found_.push_back({loc, kWhat[static_cast<size_t>(kind)]});
    done = true;
  }

  void inputs(const ir::Function& f) {
    for (const std::vector<ir::IoAttr>& param : f.param_io) {
      for (const ir::IoAttr& io : param) {
        const bool lanes = io.builtin == ir::BuiltinVar::subgroup_size || io.builtin == ir::BuiltinVar::subgroup_invocation_id;
        if (lanes && stage_ == Stage::vertex) report(Kind::input, f.loc);
        const bool vertex = io.builtin == ir::BuiltinVar::vertex_index || io.builtin == ir::BuiltinVar::instance_index;
        if (vertex && stage_ != Stage::vertex) report(Kind::other, f.loc);
      }
    }
  }

  void mask(const ir::Function& f) {
    for (const ir::IoAttr& io : f.result_io) {
      if (io.builtin == ir::BuiltinVar::sample_mask) report(Kind::early_mask, f.loc);
    }
  }

  void function(ir::FunctionId id) {
    if (seen_[id.value]) return;
    seen_[id.value] = true;
    region(id, m_.functions[id].body);
  }

  /// What others can see of a fragment, besides its outputs.
  [[nodiscard]] bool writes_outside(const ir::Function& f, const Inst& inst) const {
    const uint32_t traits = op_row(inst.op).traits;
    if (inst.op == Op::image_write) return true;
    if ((traits & (kWrite | kAtomic)) == 0 || inst.operands.count == 0) return false;
    const ir::ValueId v = m_.operand(inst, 0);
    if (v.is_constant()) return false;
    const Type& t = m_.types()[v.is_global() ? m_.globals[v.global_id()].type : m_.type_of(f, v)];
    return t.kind == TypeKind::pointer && (t.space == Space::storage || t.space == Space::handle || t.space == Space::physical);
  }

  void region(ir::FunctionId owner, ir::RegionId id) {
    for (InstId i : m_.regions[id].insts) {
      const Inst& inst = m_.insts[i];
      const bool between = (op_row(inst.op).traits & kLanes) != 0 && (op_row(inst.op).traits & kDerivative) == 0;
      if (inst.op == Op::barrier) report(Kind::barrier, inst.loc);
      if (between && stage_ == Stage::vertex) report(Kind::lanes, inst.loc);
      if (early_ && (inst.op == Op::demote || inst.op == Op::terminate)) report(Kind::early_drop, inst.loc);
      if (early_ && writes_outside(m_.functions[owner], inst)) report(Kind::early_write, inst.loc);
      if (inst.op == Op::call) function(ir::FunctionId(inst.payload));
      for (ir::ValueId v : m_.operands(inst)) {
        if (v.is_global()) global(m_.globals[v.global_id()], inst.loc);
      }
      for (ir::RegionId r : m_.inst_regions(inst)) region(owner, r);
    }
  }

  void global(const ir::Global& g, ir::LocId loc) {
    if (g.kind != ir::GlobalKind::variable) return;
    if (g.space == Space::workgroup) report(Kind::shared, loc);
    if (stage_ != Stage::vertex) return;
    if (g.space == Space::storage && g.access != Access::read) report(Kind::buffer, loc);
    const Type& t = m_.types()[g.value_type];
    if (t.kind == TypeKind::image && t.access != Access::read) report(Kind::image, loc);
  }

  const ir::Module& m_;
  std::vector<bool> seen_;
  bool reported_[static_cast<size_t>(Kind::count_)] = {};
  Stage stage_ = Stage::none;
  bool early_ = false;  // the entry asks for tests before it runs
  std::vector<StageFault> found_;
};

ir::LocId coherent_access(const ir::Module& m, ir::RegionId region) {
  for (InstId i : m.regions[region].insts) {
    const Inst& inst = m.insts[i];
    const bool plain = inst.op == Op::load || inst.op == Op::store || inst.op == Op::image_read || inst.op == Op::image_write;
    if (plain && (inst.flags & (ir::kCoherent | ir::kVolatile)) != 0 && inst.loc) return inst.loc;
    for (ir::RegionId r : m.inst_regions(inst)) {
      if (const ir::LocId found = coherent_access(m, r)) return found;
    }
  }
  return {};
}

}  // namespace

ir::LocId find_coherent_access(const ir::Module& module) {
  for (ir::FunctionId id : module.function_order) {
    if (module.functions[id].dead) continue;
    if (const ir::LocId found = coherent_access(module, module.functions[id].body)) return found;
  }
  return {};
}

std::vector<StageFault> find_stage_faults(const ir::Module& module) { return Rules(module).run(); }

}  // namespace carry::analysis
