/// Stage inputs become parameters of the entry, outputs its result (docs/text-form.md). Callees that read inputs get them as
/// further value parameters; outputs that a callee touches become private globals, others variables of the entry.
///   before  global %uv: in vec2<f32> @location(0)   entry fs @fragment { %c = load %uv ... store %color, %x  return }
///   after   entry fs(%uv: vec2<f32> [@location(0)]) -> vec4<f32> [@location(0)] @fragment { ... return %x }
#include <algorithm>
#include <string>
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/io_parts.h"
#include "pass/pass.h"
#include "pass/run_time_value.h"

namespace carry::pass {

namespace {

using ir::BuiltinVar;
using ir::Function;
using ir::FunctionId;
using ir::Global;
using ir::GlobalId;
using ir::Inst;
using ir::RegionId;
using ir::Stage;
using ir::ValueId;

bool is_place_in_grid(BuiltinVar v) { return v == BuiltinVar::local_invocation_id || v == BuiltinVar::global_invocation_id; }

/// What a function does with one input or output.
struct GlobalUse {
  uint32_t uses = 0;
  uint32_t whole_stores = 0;  // at the top of the body
  bool needs_memory = false;  // reached by a dynamic index
};

struct FunctionUse {
  std::unordered_map<uint32_t, GlobalUse> direct;
  std::vector<GlobalId> inputs;  // own and callees', in order of declaration
  std::vector<GlobalId> outputs;
  uint32_t returns = 0;
};

class IoToParams : public ir::Rewriter {
 public:
  IoToParams(PassContext& context) : Rewriter(context.module), context_(context), config_(context.config) {}
  void run_all();

 private:
  bool wants(FunctionId id) override;
  void make_params() override;
  void begin_body() override;
  bool visit(const Inst& inst) override;

  void collect(FunctionId id);
  void collect_region(FunctionId id, RegionId region, bool top);
  [[nodiscard]] bool is_io(ValueId v) const;
  [[nodiscard]] GlobalId root(ValueId v) const;
  void entry_params();
  void entry_input_struct(const std::vector<IoPart>& parts, size_t located);
  ValueId add_param(TypeId type, NameId name, std::vector<ir::IoAttr> io);
  void entry_result();
  [[nodiscard]] bool make_linear();
  ValueId module_product(ValueId x, ValueId y);
  const std::array<ValueId, 3>& shape();
  ValueId place_in_group(ValueId index);
  void derived_inputs();
  bool visit_input(const Inst& inst, GlobalId g);
  bool visit_output(const Inst& inst, GlobalId g);
  void emit_return();
  [[nodiscard]] bool is_entry() { return new_function().is_entry; }
  [[nodiscard]] bool forwarded(GlobalId g);
  void check_builtins(std::span<const GlobalId> globals, std::span<const BuiltinVar> lacked);
  [[nodiscard]] bool is_one_pixel(GlobalId g);
  [[nodiscard]] ir::LocId first_use(GlobalId g);
  NameId name(std::string_view text) { return m().names().intern(text); }

  PassContext& context_;
  const PassConfig& config_;
  std::vector<FunctionUse> uses_;
  std::vector<bool> in_callee_;  // outputs: by GlobalId
  // the function being rewritten
  const FunctionUse* use_ = nullptr;
  std::array<ValueId, 3> shape_{};                            // the workgroup of the source
  bool shape_read_ = false;                                   // it needs no variables
  bool linear_ = false;                                       // the entry's is a line of as many lanes
  std::vector<ValueId> value_;                                // by GlobalId: an input's value, a forwarded output's value
  std::vector<ValueId> memory_;                               // by GlobalId: variable, or the private global
  std::unordered_map<uint32_t, std::vector<ValueId>> paths_;  // old pointer local: constant steps from an input
  std::unordered_map<uint32_t, GlobalId> roots_;              // old pointer local: its input or output
  std::vector<IoPart> in_parts_, out_parts_;
  std::vector<ValueId> part_values_;
};

bool IoToParams::is_io(ValueId v) const {
  if (!v.is_global()) return false;
  const Global& g = context_.module.globals[v.global_id()];
  return g.kind == ir::GlobalKind::variable && (g.space == Space::in || g.space == Space::out);
}

GlobalId IoToParams::root(ValueId v) const {
  if (is_io(v)) return v.global_id();
  if (!v.is_local()) return GlobalId::none();
  const auto found = roots_.find(v.index());
  return found == roots_.end() ? GlobalId::none() : found->second;
}

void IoToParams::collect_region(FunctionId id, RegionId region, bool top) {
  FunctionUse& use = uses_[id.value];
  for (ir::InstId i : m().regions[region].insts) {
    const Inst& inst = m().insts[i];
    if (inst.op == Op::return_) ++use.returns;
    if (inst.op == Op::call) {
      const FunctionUse& callee = uses_[inst.payload];
      use.inputs.insert(use.inputs.end(), callee.inputs.begin(), callee.inputs.end());
      use.outputs.insert(use.outputs.end(), callee.outputs.begin(), callee.outputs.end());
    }
    for (uint32_t o = 0; o < inst.operands.count; ++o) {
      const GlobalId g = root(m().operand(inst, o));
      if (!g) continue;
      const bool direct = is_io(m().operand(inst, o));
      GlobalUse& entry = use.direct[g.value];
      if (direct) {
        ++entry.uses;
        (m().globals[g].space == Space::in ? use.inputs : use.outputs).push_back(g);
      }
      if (inst.op == Op::store && direct && top) ++entry.whole_stores;
      if (inst.op == Op::at && o == 0) {
        roots_[inst.first_result.index()] = g;
        for (ValueId step : m().operands(inst).subspan(1)) entry.needs_memory = entry.needs_memory || !step.is_constant();
      }
    }
    for (RegionId r : m().inst_regions(inst)) collect_region(id, r, false);
  }
}

void IoToParams::collect(FunctionId id) {
  roots_.clear();
  collect_region(id, m().functions[id].body, true);
  FunctionUse& use = uses_[id.value];
  for (std::vector<GlobalId>* list : {&use.inputs, &use.outputs}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (m().functions[id].is_entry) return;
  for (GlobalId g : use.outputs) in_callee_[g.value] = true;
}

void IoToParams::run_all() {
  ir::Module& module = m();
  uses_.resize(module.functions.size());
  in_callee_.assign(module.globals.size(), false);
  for (FunctionId id : module.function_order) collect(id);
  run();
  std::vector<GlobalId> live;
  for (GlobalId id : module.global_order) {
    Global& g = module.globals[id];
    const bool io = g.kind == ir::GlobalKind::variable && (g.space == Space::in || g.space == Space::out);
    if (!io) {
      live.push_back(id);
      continue;
    }
    if (g.space == Space::out && in_callee_[id.value]) {
      const Global old = g;
      g = Global{};
      g.space = Space::private_;
      g.access = Access::read_write;
      g.name = old.name;
      g.value_type = old.value_type;
      g.type = module.types().pointer(Space::private_, Access::read_write, old.value_type);
      g.flags = old.flags & (ir::kGlobalRelaxed | ir::kGlobalPrecise);
      g.loc = old.loc;
      live.push_back(id);
      continue;
    }
    module.dead_globals.push_back(id);
  }
  module.global_order = std::move(live);
}

bool IoToParams::wants(FunctionId id) {
  use_ = &uses_[id.value];
  return m().functions[id].is_entry || !use_->inputs.empty() || !use_->outputs.empty();
}

ValueId IoToParams::add_param(TypeId type, NameId param_name, std::vector<ir::IoAttr> io) {
  const ValueId v = b().new_local(type, param_name);
  new_function().params.push_back({v, ir::ParamMode::value, param_name});
  if (!io.empty()) new_function().param_io.push_back(std::move(io));
  return v;
}

void IoToParams::make_params() {
  Rewriter::make_params();
  value_.assign(m().globals.size(), ValueId::none());
  memory_.assign(m().globals.size(), ValueId::none());
  paths_.clear();
  roots_.clear();
  if (is_entry()) {
    entry_params();
    entry_result();
    return;
  }
  for (GlobalId g : use_->inputs) value_[g.value] = add_param(m().globals[g].value_type, m().globals[g].name, {});
}

void IoToParams::entry_input_struct(const std::vector<IoPart>& parts, size_t located) {
  std::vector<Member> members;
  std::vector<ir::IoAttr> io;
  for (size_t i = 0; i < located; ++i) {
    members.push_back({parts[i].name, parts[i].type});
    io.push_back(parts[i].io);
  }
  const TypeId type = types().make_struct(name(std::string(m().names().text(new_function().name)) + "_in"), std::move(members));
  const ValueId v = add_param(type, name("in"), std::move(io));
  // Taken apart once the body is open.
  for (size_t i = 0; i < located; ++i) part_values_[i] = v;
}

/// Declarations of built-in values have no place in the source.
ir::LocId IoToParams::first_use(GlobalId g) {
  for (size_t i = 0; i < m().insts.size(); ++i) {
    const Inst& inst = m().insts[ir::InstId(static_cast<uint32_t>(i))];
    for (uint32_t o = 0; o < inst.operands.count; ++o) {
      if (m().operand(inst, o) == ValueId::global(g) && inst.loc) return inst.loc;
    }
  }
  return m().globals[g].loc;
}

/// Built-in values that the target does not have are an error.
void IoToParams::check_builtins(std::span<const GlobalId> globals, std::span<const BuiltinVar> lacked) {
  for (GlobalId id : globals) {
    const Global& g = m().globals[id];
    if (g.builtin == BuiltinVar::none || std::find(lacked.begin(), lacked.end(), g.builtin) == lacked.end()) continue;
    if (context_.failed) return;
    context_.error(first_use(id), diag::not_supported_yet,
                   "the built-in `" + std::string(ir::builtin_var_name(g.builtin)) + "`");
  }
}

/// True where the workgroup became a line of as many lanes (PassConfig::linear_workgroups).
bool IoToParams::make_linear() {
  std::array<ValueId, 3>& size = new_function().entry.workgroup_size;
  if (!config_.linear_workgroups || new_function().entry.stage != Stage::compute) return false;
  const ValueId one = b().const_u32(1);
  if (size[1] == one && size[2] == one) return false;
  size = {module_product(module_product(size[0], size[1]), size[2]), one, one};
  return linear_ = true;
}

/// Of two constants or specialization constants, as an instruction of the module.
ValueId IoToParams::module_product(ValueId x, ValueId y) {
  if (x.is_constant() && y.is_constant()) {
    const auto bits = [this](ValueId v) { return types().constant(v.const_id()).bits; };
    return b().const_u32(static_cast<uint32_t>(bits(x) * bits(y)));
  }
  ir::Inst inst;
  inst.op = Op::mul;
  inst.result_count = 1;
  const ValueId operands[] = {x, y};
  inst.operands = m().add_operands(operands);
  Global g;
  g.kind = ir::GlobalKind::result;
  g.type = TypeId::u32;
  inst.first_result = ValueId::global(m().add_global(std::move(g)));
  m().module_insts.push_back(m().insts.add(inst));
  return inst.first_result;
}

/// The workgroup of the source as values of the function.
const std::array<ValueId, 3>& IoToParams::shape() {
  if (!shape_read_) {
    for (ValueId& v : shape_) v = run_time_value(b(), v);
  }
  shape_read_ = true;
  return shape_;
}

/// Where a lane of a line stands in the workgroup of the source.
ValueId IoToParams::place_in_group(ValueId index) {
  const auto raw = static_cast<uint32_t>(ArithmeticVariant::raw);
  const ValueId row = b().binary(Op::udiv, index, shape()[0], raw);
  const ValueId axes[] = {b().binary(Op::urem, index, shape()[0], raw), b().binary(Op::urem, row, shape()[1], raw),
                          b().binary(Op::udiv, row, shape()[1], raw)};
  return b().make(types().vector(ScalarKind::u32, 3), axes);
}

void IoToParams::entry_params() {
  const Stage stage = new_function().entry.stage;
  check_builtins(use_->inputs, config_.lacks_inputs);
  std::vector<GlobalId> wanted;
  bool lane = false, size = false, numbered = false;
  for (GlobalId g : use_->inputs) {
    const BuiltinVar builtin = m().globals[g].builtin;
    if (builtin == BuiltinVar::workgroup_size) continue;  // known
    lane = lane || is_subgroup_mask(builtin);
    numbered = numbered || builtin == BuiltinVar::subgroup_invocation_id || builtin == BuiltinVar::subgroup_id;
    size = size || builtin == BuiltinVar::subgroup_ge_mask || builtin == BuiltinVar::subgroup_gt_mask;
    if (!is_subgroup_mask(builtin)) wanted.push_back(g);
  }
  shape_ = new_function().entry.workgroup_size;
  shape_read_ = !config_.lacks.has(ir::Feature::override_read);
  linear_ = false;
  const auto is_place = [this](GlobalId g) { return is_place_in_grid(m().globals[g].builtin); };
  const bool index = (lane || numbered) && make_linear() && std::any_of(wanted.begin(), wanted.end(), is_place);
  const bool group = index && std::any_of(wanted.begin(), wanted.end(), [this](GlobalId g) {
                       return m().globals[g].builtin == BuiltinVar::global_invocation_id;
                     });
  if (index) wanted.erase(std::remove_if(wanted.begin(), wanted.end(), is_place), wanted.end());
  in_parts_ = io_parts(m(), wanted, stage == Stage::fragment);
  const auto has = [&](BuiltinVar v) {
    return std::any_of(in_parts_.begin(), in_parts_.end(), [v](const IoPart& p) { return p.io.builtin == v; });
  };
  for (const auto& [needed, builtin] :
       {std::pair{lane, BuiltinVar::subgroup_invocation_id}, std::pair{size, BuiltinVar::subgroup_size},
        std::pair{index, BuiltinVar::local_invocation_index}, std::pair{group, BuiltinVar::workgroup_id}}) {
    if (!needed || has(builtin)) continue;
    IoPart part;
    part.io.builtin = builtin;
    part.type = builtin == BuiltinVar::workgroup_id ? types().vector(ScalarKind::u32, 3) : TypeId::u32;
    part.name = name(ir::builtin_var_name(builtin));
    in_parts_.push_back(std::move(part));
  }
  part_values_.assign(in_parts_.size(), ValueId::none());
  size_t located = 0;
  while (located < in_parts_.size() && in_parts_[located].io.builtin == BuiltinVar::none) ++located;
  if (config_.inputs_in_struct && located != 0) entry_input_struct(in_parts_, located);
  for (size_t i = 0; i < in_parts_.size(); ++i) {
    if (!part_values_[i]) part_values_[i] = add_param(in_parts_[i].type, in_parts_[i].name, {in_parts_[i].io});
  }
}

void IoToParams::entry_result() {
  Function& f = new_function();
  std::vector<GlobalId> outputs = use_->outputs;
  const auto lacks = [&](BuiltinVar v) {
    return std::find(config_.lacks_outputs.begin(), config_.lacks_outputs.end(), v) != config_.lacks_outputs.end();
  };
  // Without a point size all points have one pixel.
  if (lacks(BuiltinVar::point_size))
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(), [this](GlobalId g) { return is_one_pixel(g); }),
                  outputs.end());
  // Tests before the shader have used the depth of the primitive: one that the shader writes has no effect.
  if ((f.entry.flags & ir::kEntryEarlyTests) != 0)
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(),
                                 [this](GlobalId g) { return m().globals[g].builtin == BuiltinVar::frag_depth; }),
                  outputs.end());
  check_builtins(outputs, config_.lacks_outputs);
  out_parts_ = io_parts(m(), outputs, f.entry.stage == Stage::vertex);
  const auto is_position = [](const IoPart& p) { return p.io.builtin == BuiltinVar::position; };
  if (f.entry.stage == Stage::vertex && std::none_of(out_parts_.begin(), out_parts_.end(), is_position)) {
    // Both languages want a position from every vertex stage.
    IoPart part;
    part.io.builtin = BuiltinVar::position;
    part.type = types().vector(ScalarKind::f32, 4);
    part.name = name("position");
    out_parts_.push_back(std::move(part));
  }
  if (out_parts_.empty()) return;
  for (const IoPart& part : out_parts_) f.result_io.push_back(part.io);
  if (out_parts_.size() == 1 && !config_.inputs_in_struct) {
    f.result = out_parts_[0].type;
    return;
  }
  std::vector<Member> members;
  NameId block;
  for (const IoPart& part : out_parts_) {
    members.push_back({part.name, part.type});
    if (!part.pieces.empty() && !block) block = m().globals[part.pieces[0].global].block;
  }
  const NameId own = name(std::string(m().names().text(f.name)) + "_out");
  f.result = types().make_struct(block ? block : own, std::move(members));
}

void IoToParams::derived_inputs() {
  ValueId lane, size, index, group;
  for (size_t i = 0; i < in_parts_.size(); ++i) {
    if (in_parts_[i].io.builtin == BuiltinVar::local_invocation_index) index = part_values_[i];
    if (in_parts_[i].io.builtin == BuiltinVar::workgroup_id) group = part_values_[i];
    if (in_parts_[i].io.builtin == BuiltinVar::subgroup_invocation_id) lane = part_values_[i];
    if (in_parts_[i].io.builtin == BuiltinVar::subgroup_size) size = part_values_[i];
  }
  for (GlobalId g : use_->inputs) {
    const BuiltinVar builtin = m().globals[g].builtin;
    if (builtin == BuiltinVar::workgroup_size) {
      value_[g.value] = b().make(types().vector(ScalarKind::u32, 3), shape());
    } else if (linear_ && is_place_in_grid(builtin)) {
      const ValueId place = place_in_group(index);
      const ValueId start = builtin == BuiltinVar::local_invocation_id
                                ? ValueId()
                                : b().binary(Op::mul, group, b().make(types().vector(ScalarKind::u32, 3), shape()));
      value_[g.value] = start ? b().binary(Op::add, start, place) : place;
    } else if (is_subgroup_mask(builtin)) {
      value_[g.value] = subgroup_mask(b(), builtin, lane, size);
    } else {
      value_[g.value] = global_from_parts(b(), g, in_parts_, part_values_);
    }
  }
}

/// The point size, if nothing but 1 is stored in it.
bool IoToParams::is_one_pixel(GlobalId g) {
  if (m().globals[g].builtin != BuiltinVar::point_size) return false;
  const ValueId pointer = ValueId::global(g);
  const ValueId one = b().const_f32(1.0f);
  for (size_t i = 0; i < m().insts.size(); ++i) {
    const Inst& inst = m().insts[ir::InstId(static_cast<uint32_t>(i))];
    for (uint32_t o = 0; o < inst.operands.count; ++o) {
      if (!(m().operand(inst, o) == pointer)) continue;
      if (inst.op != Op::store || o != 0 || !(m().operand(inst, 1) == one)) return false;
    }
  }
  return true;
}

bool IoToParams::forwarded(GlobalId g) {
  const auto found = use_->direct.find(g.value);
  const std::vector<ir::InstId>& insts = m().regions[old_function().body].insts;
  const bool ends_once = use_->returns == 1 && !insts.empty() && m().insts[insts.back()].op == Op::return_;
  return ends_once && !in_callee_[g.value] && found != use_->direct.end() && found->second.uses == 1 &&
         found->second.whole_stores == 1;
}

void IoToParams::begin_body() {
  if (is_entry()) {
    for (size_t i = 0; i < in_parts_.size(); ++i) {
      if (types().kind(type_of(part_values_[i])) == TypeKind::struct_)
        part_values_[i] = b().elem(part_values_[i], static_cast<uint32_t>(i));
    }
    derived_inputs();
  }
  for (GlobalId g : use_->inputs) {
    const auto found = use_->direct.find(g.value);
    if (found != use_->direct.end() && found->second.needs_memory) {
      memory_[g.value] = b().var(m().globals[g].value_type, value_[g.value], m().globals[g].name);
    }
  }
  for (GlobalId g : use_->outputs) {
    if (in_callee_[g.value]) {
      memory_[g.value] = ValueId::global(g);
    } else if (!forwarded(g)) {
      const TypeId type = m().globals[g].value_type;
      memory_[g.value] = b().var(type, b().zero(type), m().globals[g].name);
    }
  }
}

bool IoToParams::visit(const Inst& inst) {
  if (inst.op == Op::call) {
    std::vector<ValueId> operands = mapped_operands(inst);
    for (GlobalId g : uses_[inst.payload].inputs) operands.push_back(value_[g.value]);
    keep_with(inst, operands);
    return true;
  }
  if (inst.op == Op::return_ && is_entry()) {
    emit_return();
    return true;
  }
  if (inst.operands.count == 0) return false;
  const GlobalId g = root(m().operand(inst, 0));
  if (!g) return false;
  if (inst.op == Op::at) roots_[inst.first_result.index()] = g;
  return m().globals[g].space == Space::in ? visit_input(inst, g) : visit_output(inst, g);
}

bool IoToParams::visit_input(const Inst& inst, GlobalId g) {
  const ValueId old = m().operand(inst, 0);
  const bool direct = is_io(old);
  if (memory_[g.value]) {
    const ValueId pointer = direct ? memory_[g.value] : map(old);
    if (inst.op == Op::load) replace(inst, 0, direct ? value_[g.value] : b().load(pointer, inst.flags));
    if (inst.op == Op::at) replace(inst, 0, b().at(pointer, std::span<const ValueId>(mapped_operands(inst)).subspan(1)));
    return inst.op == Op::load || inst.op == Op::at;
  }
  std::vector<ValueId> path;
  if (!direct) path = paths_[old.index()];
  if (inst.op == Op::at) {
    for (ValueId step : m().operands(inst).subspan(1)) path.push_back(step);
    paths_[inst.first_result.index()] = std::move(path);
    return true;
  }
  if (inst.op != Op::load) return false;
  ValueId v = value_[g.value];
  if (!path.empty()) {
    path.insert(path.begin(), v);
    v = b().emit(Op::elem, result_type(inst), path);
  }
  replace(inst, 0, v);
  return true;
}

bool IoToParams::visit_output(const Inst& inst, GlobalId g) {
  const ValueId old = m().operand(inst, 0);
  const ValueId pointer = is_io(old) ? memory_[g.value] : map(old);
  if (inst.op == Op::store && !pointer) {
    value_[g.value] = operand(inst, 1);
    return true;
  }
  std::vector<ValueId> operands = mapped_operands(inst);
  operands[0] = pointer;
  if (inst.op != Op::at) {
    keep_with(inst, operands);
    return true;
  }
  if (!pointer.is_global()) {
    replace(inst, 0, b().at(pointer, std::span<const ValueId>(operands).subspan(1)));
    return true;
  }
  // The global turns private once all functions are done.
  TypeId type = types().pointer(Space::private_, Access::read_write, m().globals[g].value_type);
  for (ValueId step : std::span<const ValueId>(operands).subspan(1)) {
    type = b().step_pointer(type, step.is_constant() ? static_cast<uint32_t>(types().constant(step.const_id()).bits) : 0);
  }
  replace(inst, 0, b().emit(Op::at, type, operands));
  return true;
}

void IoToParams::emit_return() {
  if (out_parts_.empty()) {
    b().terminator(Op::return_);
    return;
  }
  std::vector<ValueId> globals(m().globals.size(), ValueId::none());
  for (GlobalId g : use_->outputs) {
    if (!memory_[g.value]) {
      globals[g.value] = value_[g.value];
    } else {
      globals[g.value] = b().emit(Op::load, m().globals[g].value_type, {memory_[g.value]});
    }
  }
  std::vector<ValueId> values;
  for (const IoPart& part : out_parts_) values.push_back(part_from_globals(b(), part, globals));
  const bool in_struct = types().kind(new_function().result) == TypeKind::struct_;
  const ValueId result = in_struct ? b().make(new_function().result, values) : values[0];
  b().terminator(Op::return_, std::span<const ValueId>(&result, 1));
}

}  // namespace

void io_to_params(PassContext& context) { IoToParams(context).run_all(); }

}  // namespace carry::pass
