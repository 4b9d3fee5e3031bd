// Functions, entry points, function constants.
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::GlobalKind;
using ir::Stage;
using ir::ValueId;

namespace {

constexpr uint32_t kUnset = Id<TypeId>::kNone;

/// Metal's attribute of a built-in value.
std::string_view builtin_attribute(ir::BuiltinVar v) {
  using B = ir::BuiltinVar;
  switch (v) {
    case B::position:
    case B::frag_coord: return "position";
    case B::point_size: return "point_size";
    case B::clip_distance: return "clip_distance";
    case B::vertex_index: return "vertex_id";
    case B::instance_index: return "instance_id";
    case B::base_vertex: return "base_vertex";
    case B::base_instance: return "base_instance";
    case B::primitive_id: return "primitive_id";
    case B::layer: return "render_target_array_index";
    case B::viewport_index: return "viewport_array_index";
    case B::front_facing: return "front_facing";
    case B::point_coord: return "point_coord";
    case B::sample_id: return "sample_id";
    case B::sample_mask: return "sample_mask";
    case B::frag_depth: return "depth(any)";
    case B::num_workgroups: return "threadgroups_per_grid";
    case B::workgroup_size: return "threads_per_threadgroup";
    case B::workgroup_id: return "threadgroup_position_in_grid";
    case B::local_invocation_id: return "thread_position_in_threadgroup";
    case B::global_invocation_id: return "thread_position_in_grid";
    case B::local_invocation_index: return "thread_index_in_threadgroup";
    case B::subgroup_size: return "threads_per_simdgroup";
    case B::num_subgroups: return "simdgroups_per_threadgroup";
    case B::subgroup_id: return "simdgroup_index_in_threadgroup";
    case B::subgroup_invocation_id: return "thread_index_in_simdgroup";
    default: return ir::builtin_var_name(v);
  }
}

}  // namespace

void Writer::overrides() {
  for (ir::GlobalId id : m_.global_order) {
    const ir::Global& g = m_.globals[id];
    if (g.kind != GlobalKind::override_) continue;
    const std::string& name = module_names_.global(id.value);
    if (g.override_id == kUnset) {
      declarations_ << "constant " << type(g.type) << ' ' << name << " = " << (g.init ? value(g.init).text : "0") << ";\n";
      continue;
    }
    const std::string given = module_names_.scope().take(name + "_given");
    declarations_ << "constant " << type(g.type) << ' ' << given << " [[function_constant(" << g.override_id << ")]];\n";
    declarations_ << "constant " << type(g.type) << ' ' << name << " = is_function_constant_defined(" << given << ") ? "
                  << given << " : " << (g.init ? value(g.init).text : "0") << ";\n";
  }
  static const ir::Function kNoFunction{};
  fn_ = &kNoFunction;
  for (ir::InstId id : m_.module_insts) {
    const ir::Inst& inst = m_.insts[id];
    declarations_ << "constant " << type(m_.globals[inst.first_result.global_id()].type) << ' '
                  << module_names_.global(inst.first_result.index()) << " = " << expression(inst).text << ";\n";
  }
  fn_ = nullptr;
  // Constant tables; other private variables have become variables of the entries.
  for (ir::GlobalId id : m_.global_order) {
    const ir::Global& g = m_.globals[id];
    if (g.kind != GlobalKind::variable || g.space != Space::private_ || !g.init) continue;
    declarations_ << "constant " << type(g.value_type) << ' ' << module_names_.global(id.value) << " = " << value(g.init).text
                  << ";\n";
  }
  if (declarations_.size() != 0) declarations_ << '\n';
}

std::string Writer::io_attribute(const ir::IoAttr& io, Stage stage, bool output) {
  TextSink out;
  if (io.builtin != ir::BuiltinVar::none) {
    out << " [[" << builtin_attribute(io.builtin);
    if (io.flags & ir::kGlobalInvariant) out << ", invariant";
    out << "]]";
    return out.take();
  }
  if (io.location == kUnset) return out.take();
  if (stage == Stage::vertex && !output) {
    out << " [[attribute(" << io.location << ")]]";
  } else if (stage == Stage::fragment && output) {
    out << " [[color(" << io.location << ")";
    if (io.index != kUnset && io.index != 0) out << ", index(" << io.index << ')';
    out << "]]";
  } else {
    out << " [[user(locn" << io.location << ')';
    if (stage == Stage::fragment || output) {
      const bool linear = (io.flags & ir::kGlobalNoPerspective) != 0;
      if (io.flags & ir::kGlobalFlat) {
        out << ", flat";
      } else if (io.flags & ir::kGlobalCentroid) {
        out << (linear ? ", centroid_no_perspective" : ", centroid_perspective");
      } else if (io.flags & ir::kGlobalSample) {
        out << (linear ? ", sample_no_perspective" : ", sample_perspective");
      } else if (linear) {
        out << ", center_no_perspective";
      }
    }
    out << "]]";
  }
  return out.take();
}

/// Structs of entry interfaces carry attributes at their members: known before they are declared.
void Writer::mark_io_structs() {
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (!f.is_entry) continue;
    if (m_.types().kind(f.result) == TypeKind::struct_) io_structs_[f.result.value] = {&f.result_io, f.entry.stage, true};
    for (size_t i = 0; i < f.params.size() && i < f.param_io.size(); ++i) {
      const TypeId t = f.value_types[f.params[i].value.index()];
      if (m_.types().kind(t) == TypeKind::struct_) io_structs_[t.value] = {&f.param_io[i], f.entry.stage, false};
    }
  }
}

/// The buffers of an array, in slots that follow each other; the body begins with the array of pointers to them.
std::string Writer::buffer_parameters(ValueId array, uint32_t slot, std::string_view qualifier) {
  const TypeId t = fn_->value_types[array.index()];
  const Type pointer = m_.types()[t];
  const Type buffers = m_.types()[pointer.element];
  const bool runtime = is_runtime_array(buffers.element);
  TextSink parameters, list;
  for (uint32_t i = 0; i < buffers.count; ++i) {
    const std::string name = names_.take(local_names_[array.index()] + "_" + std::to_string(i));
    parameters << (i == 0 ? "" : ",\n    ") << qualifier << memory_declaration(pointer, buffers.element, name) << " [[buffer("
               << slot + i << ")]]";
    list << (i == 0 ? "" : ", ") << (runtime ? "" : "&") << name;
  }
  TextSink out;
  out << qualifier << buffer_pointer(t) << " const " << local_names_[array.index()] << '[' << buffers.count << "] = {"
      << list.text() << "};";
  line(out.text());
  return parameters.take();
}

std::string Writer::parameter(ir::FunctionId id, size_t index) {
  const ir::Function& f = m_.functions[id];
  const ValueId v = f.params[index].value;
  const TypeId t = f.value_types[v.index()];
  const bool coherent = coherent_[id.value][index];
  const std::string qualifier = coherent && m_.types().is_pointer(t) ? "coherent(device) " : "";
  if (f.is_entry && is_buffer_array(t)) return buffer_parameters(v, f.param_io[index][0].slot, qualifier);
  const std::string& name = local_names_[v.index()];
  std::string text =
      m_.types().is_pointer(t) ? qualifier + pointer_declaration(t, name) : parameter_type(t, coherent) + " " + name;
  if (!f.is_entry || index >= f.param_io.size()) return text;
  if (m_.types().kind(t) == TypeKind::struct_) return text + " [[stage_in]]";
  if (f.param_io[index].size() != 1) return text;
  const ir::IoAttr& io = f.param_io[index][0];
  static constexpr std::string_view kSlots[] = {"", "buffer", "texture", "sampler"};
  if (io.slot_kind != ir::SlotKind::none) {
    TextSink out;
    out << text << " [[" << kSlots[static_cast<size_t>(io.slot_kind)] << '(' << io.slot << ")]]";
    return out.take();
  }
  return text + io_attribute(io, f.entry.stage, false);
}

void Writer::function(ir::FunctionId id) {
  const ir::Function& f = m_.functions[id];
  fn_ = &f;
  fn_id_ = id;
  text::FoldOptions options;
  options.prints_twice = [](const ir::Module& m, const ir::Function& fn, const ir::Inst& inst, uint32_t o) {
    switch (inst.op) {
      case Op::shuffle: return !(m.operand(inst, 0) == m.operand(inst, 1));
      case Op::find_msb_s:
      case Op::find_lsb:
      case Op::abs_s:
      case Op::fsign:
      case Op::fract:
      case Op::umul_extended:
      case Op::smul_extended: return true;
      default: break;
    }
    if ((op_row(inst.op).traits & kImage) == 0 || o == 0) return false;
    const Type& t = m.types()[m.type_of(fn, m.operand(inst, 0))];
    return (t.flags & kImageArrayed) != 0 && m.types().is_vector(m.type_of(fn, m.operand(inst, o)));
  };
  const text::FoldPlan plan(m_, f, options);
  fold_ = &plan;
  names_ = module_names_.scope().inner();
  body_ = TextSink();
  depth_ = 1;
  fences_.clear();
  find_fences(f.body, !f.is_entry);
  local_names_ = module_names_.take_locals(f, plan, names_, {.names_unused_parts = true});
  TextSink head;
  if (f.is_entry) {
    head << (f.entry.stage == Stage::vertex ? "vertex " : f.entry.stage == Stage::fragment ? "fragment " : "kernel ");
    if (f.entry.flags & ir::kEntryEarlyTests) head << "[[early_fragment_tests]] ";
  }
  head << type(f.result) << ' ' << module_names_.function(id) << '(';
  for (size_t i = 0; i < f.params.size(); ++i) head << (i == 0 ? "" : ",\n    ") << parameter(id, i);
  head << ')';
  // A plain result of an entry has its attribute behind the parameters.
  if (f.is_entry && f.result_io.size() == 1 && m_.types().kind(f.result) != TypeKind::struct_) {
    head << io_attribute(f.result_io[0], f.entry.stage, true);
  }
  head << " {\n";
  region(f.body);
  functions_ << head.text() << body_.text() << "}\n\n";
  fold_ = nullptr;
  fn_ = nullptr;
}

}  // namespace carry::write::msl
