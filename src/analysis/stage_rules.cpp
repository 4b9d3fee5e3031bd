#include "analysis/stage_rules.h"

#include <algorithm>

namespace carry::analysis {

using ir::Inst;
using ir::InstId;
using ir::Stage;

namespace {

enum class Kind : uint8_t { barrier, buffer, image, shared, lanes, input, other, count_ };

constexpr const char* kWhat[] = {
    "barriers outside of compute shaders",
    "writable buffers in vertex shaders: declare the buffer readonly (StructuredBuffer), or write in a compute shader",
    "writable images in vertex shaders: declare the image readonly, or write in a compute shader",
    "memory of a workgroup outside of compute shaders",
    "operations between the lanes of a subgroup in vertex shaders",
    "built-in values of a subgroup in vertex shaders",
    "such built-in values in this stage: hand them on from the vertex shader, at a location",
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
      inputs(f);
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

  void function(ir::FunctionId id) {
    if (seen_[id.value]) return;
    seen_[id.value] = true;
    region(m_.functions[id].body);
  }

  void region(ir::RegionId id) {
    for (InstId i : m_.regions[id].insts) {
      const Inst& inst = m_.insts[i];
      const bool between = (op_row(inst.op).traits & kLanes) != 0 && (op_row(inst.op).traits & kDerivative) == 0;
      if (inst.op == Op::barrier) report(Kind::barrier, inst.loc);
      if (between && stage_ == Stage::vertex) report(Kind::lanes, inst.loc);
      if (inst.op == Op::call) function(ir::FunctionId(inst.payload));
      for (ir::ValueId v : m_.operands(inst)) {
        if (v.is_global()) global(m_.globals[v.global_id()], inst.loc);
      }
      for (ir::RegionId r : m_.inst_regions(inst)) region(r);
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
  std::vector<StageFault> found_;
};

}  // namespace

std::vector<StageFault> find_stage_faults(const ir::Module& module) { return Rules(module).run(); }

}  // namespace carry::analysis
