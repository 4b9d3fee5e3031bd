// Module-scope declarations, functions and entry points.
#include "ir/features.h"
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::GlobalKind;
using ir::Stage;
using ir::ValueId;

namespace {

constexpr uint32_t kUnset = Id<TypeId>::kNone;

/// WGSL's names of built-in values; nullptr: no such value.
std::string_view builtin_name(ir::BuiltinVar v) {
  using B = ir::BuiltinVar;
  switch (v) {
    case B::position:
    case B::frag_coord: return "position";
    case B::front_facing: return "front_facing";
    case B::sample_id: return "sample_index";
    case B::sample_mask: return "sample_mask";
    case B::frag_depth: return "frag_depth";
    case B::clip_distance: return "clip_distances";
    case B::primitive_id: return "primitive_index";
    default: return ir::builtin_var_name(v);
  }
}

}  // namespace

void Writer::globals() {
  for (ir::GlobalId id : m_.global_order) {
    const ir::Global& g = m_.globals[id];
    if (g.kind != GlobalKind::override_) continue;
    const std::string& name = module_names_.global(id.value);
    if (g.override_id != kUnset) declarations_ << "@id(" << g.override_id << ") ";
    declarations_ << "override " << name << ": " << type(g.type);
    if (g.init) declarations_ << " = " << value(g.init).text;
    declarations_ << ";\n";
  }
  module_insts();
  // Arrays sized by overrides last: given the size, naga loses the types of initial values that come after them.
  for (const bool sized_by_override : {false, true}) {
    for (ir::GlobalId id : m_.global_order) {
      const ir::Global& g = m_.globals[id];
      if (g.kind != GlobalKind::variable) continue;
      if ((m_.types()[g.value_type].count_override != kUnset) == sized_by_override) global_variable(id);
    }
  }
}

void Writer::module_insts() {
  static const ir::Function kNoFunction{};
  fn_ = &kNoFunction;
  for (ir::InstId id : m_.module_insts) {
    const ir::Inst& inst = m_.insts[id];
    const ValueId result = inst.first_result;
    if (!m_.types().is_scalar(m_.globals[result.global_id()].type)) {
      wide_overrides_[result.index()] = id;
      continue;
    }
    const TypeId result_type = m_.globals[result.global_id()].type;
    declarations_ << "override " << module_names_.global(result.index()) << ": " << type(result_type) << " = ";
    // naga has no `bitcast` here; between i32 and u32 a conversion keeps the bits.
    if (inst.op == Op::bitcast && is_int(m_.types().scalar_of(result_type)))
      declarations_ << type(result_type) << '(' << value(m_.operand(inst, 0)).text << ");\n";
    else
      declarations_ << expression(inst).text << ";\n";
  }
  fn_ = nullptr;
}

void Writer::global_variable(ir::GlobalId id) {
  const ir::Global& g = m_.globals[id];
  if (g.space == Space::in || g.space == Space::out) return;
  if (g.set != kUnset && g.binding != kUnset) declarations_ << "@group(" << g.set << ") @binding(" << g.binding << ") ";
  switch (g.space) {
    case Space::uniform:
    case Space::push: declarations_ << "var<uniform> "; break;
    case Space::storage:
      declarations_ << (g.access == Access::read ? "var<storage, read> " : "var<storage, read_write> ");
      break;
    case Space::workgroup: declarations_ << "var<workgroup> "; break;
    case Space::private_: declarations_ << "var<private> "; break;
    default: declarations_ << "var "; break;
  }
  declarations_ << module_names_.global(id.value) << ": " << type(g.value_type);
  if (g.space == Space::private_ && g.init) declarations_ << " = " << value(g.init).text;
  declarations_ << ";\n";
}

std::string Writer::io_attribute(const ir::IoAttr& io, Stage stage, bool output) {
  TextSink out;
  if (io.flags & ir::kGlobalInvariant) out << "@invariant ";
  if (io.builtin != ir::BuiltinVar::none) {
    if (ir::is_subgroup_builtin(io.builtin)) uses_subgroups_ = true;
    out << "@builtin(" << builtin_name(io.builtin) << ") ";
    return out.take();
  }
  if (io.location == kUnset) return out.take();
  out << "@location(" << io.location << ") ";
  if (blends_two_ && output && stage == Stage::fragment) out << "@blend_src(" << (io.index == 1 ? 1 : 0) << ") ";
  const bool interpolated = (stage == Stage::vertex && output) || (stage == Stage::fragment && !output);
  if (!interpolated) return out.take();
  const bool linear = (io.flags & ir::kGlobalNoPerspective) != 0;
  const char* sampling = (io.flags & ir::kGlobalCentroid) ? ", centroid" : (io.flags & ir::kGlobalSample) ? ", sample" : "";
  if (io.flags & ir::kGlobalFlat) {
    out << "@interpolate(flat) ";
  } else if (linear || *sampling != '\0') {
    out << "@interpolate(" << (linear ? "linear" : "perspective") << sampling << ") ";
  }
  return out.take();
}

/// Result structs of entries carry their attributes at the members: known before the struct is declared.
void Writer::mark_io_structs() {
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (!f.is_entry || f.result_io.empty() || m_.types().kind(f.result) != TypeKind::struct_) continue;
    io_structs_[f.result.value] = &f.result_io;
    for (const ir::IoAttr& io : f.result_io) blends_two_ = blends_two_ || (f.entry.stage == Stage::fragment && io.index == 1);
    io_stages_[f.result.value] = f.entry.stage;
  }
}

void Writer::entry_attributes(const ir::Function& f, TextSink& out) {
  switch (f.entry.stage) {
    case Stage::vertex: out << "@vertex\n"; return;
    case Stage::fragment: out << "@fragment\n"; return;
    default: break;
  }
  out << "@compute @workgroup_size(";
  for (size_t i = 0; i < 3; ++i) {
    const ValueId v = f.entry.workgroup_size[i];
    out << (i == 0 ? "" : ", ") << (v ? value(v).text : std::string("1u"));
  }
  out << ")\n";
}

void Writer::function(ir::FunctionId id) {
  const ir::Function& f = m_.functions[id];
  fn_ = &f;
  text::FoldOptions options;
  options.prints_twice = [](const ir::Module& m, const ir::Function& fn, const ir::Inst& inst, uint32_t o) {
    if (inst.op == Op::shuffle)
      return m.types().component_count(m.type_of(fn, m.operand(inst, 0))) > 0 && inst.operands.count == 2 &&
             !(m.operand(inst, 0) == m.operand(inst, 1));
    if (inst.op == Op::bitcast) return m.types().is_vector(m.type_of(fn, m.operand(inst, 0)));
    if ((op_row(inst.op).traits & kImage) == 0 || o == 0) return false;
    const Type& t = m.types()[m.type_of(fn, m.operand(inst, 0))];
    return (t.flags & kImageArrayed) != 0 && m.types().is_vector(m.type_of(fn, m.operand(inst, o)));
  };
  const text::FoldPlan plan(m_, f, options);
  fold_ = &plan;
  names_ = module_names_.scope().inner();
  hidden_bits_.clear();
  run_time_constants_.clear();
  body_ = TextSink();
  depth_ = 1;
  local_names_ = module_names_.take_locals(f, plan, names_, {});
  TextSink head;
  if (f.is_entry) entry_attributes(f, head);
  head << "fn " << module_names_.function(id) << '(';
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (i != 0) head << ", ";
    if (i < f.param_io.size() && f.param_io[i].size() == 1) head << io_attribute(f.param_io[i][0], f.entry.stage, false);
    head << local_names_[f.params[i].value.index()] << ": " << type(f.value_types[f.params[i].value.index()]);
  }
  head << ')';
  if (!(f.result == TypeId::void_)) {
    head << " -> ";
    if (f.result_io.size() == 1 && m_.types().kind(f.result) != TypeKind::struct_)
      head << io_attribute(f.result_io[0], f.entry.stage, true);
    head << type(f.result);
  }
  head << " {\n";
  region(f.body);
  TextSink known;
  for (const auto& [id, name] : run_time_constants_) known << "  let " << name << " = " << constant(id).text << ";\n";
  for (uint64_t bits : hidden_bits_) {
    const bool half = bits >> 32 != 0;
    head << "  let bits_of_";
    head.hex(bits & 0xffffffffu, half ? 4 : 8);
    head << " = 0x";
    head.hex(bits & 0xffffffffu, 8);
    head << "u;\n";
  }
  head << known.text();
  functions_ << head.text() << body_.text() << "}\n\n";
  fold_ = nullptr;
  fn_ = nullptr;
}

}  // namespace carry::write::wgsl
