#include "write/wgsl/writer.h"

#include "write/wgsl/state.h"

namespace carry::write::wgsl {

bool Writer::fn_stage_has_no_derivatives() const { return !module_names_.has_fragment(); }

void Writer::name_entries() { module_names_.take_entries("main"); }

std::vector<std::string> Writer::entry_names() {
  name_entries();
  return module_names_.live_entries();
}

std::string Writer::run() {
  name_entries();
  module_names_.take_globals([](const ir::Global&) { return true; });
  mark_io_structs();
  globals();
  for (ir::FunctionId id : m_.function_order) {
    if (!m_.functions[id].dead) function(id);
  }
  TextSink out;
  if (uses_f16_) out << "enable f16;\n";
  if (uses_subgroups_) out << "enable subgroups;\n";
  if (blends_two_) out << "enable dual_source_blending;\n";
  if (uses_subgroups_) out << "diagnostic(off, subgroup_uniformity);\n";
  if (module_names_.has_fragment()) out << "diagnostic(off, derivative_uniformity);\n";
  if (out.size() != 0) out << '\n';
  out << structs_.text() << declarations_.text();
  if (declarations_.size() != 0) out << '\n';
  out << functions_.text();
  return text::without_trailing_lines(out.take());
}

std::string write(const ir::Module& module, const Options& options) { return Writer(module, options).run(); }

std::vector<std::string> entry_names(const ir::Module& module) { return Writer(module, {}).entry_names(); }

}  // namespace carry::write::wgsl
