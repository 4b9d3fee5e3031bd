#include "write/wgsl/writer.h"

#include "write/wgsl/state.h"

namespace carry::write::wgsl {

bool Writer::fn_stage_has_no_derivatives() const { return !has_fragment_; }

void Writer::name_entries() {
  function_names_.resize(m_.functions.size());
  // Entry points keep their names, so they choose first.
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (!f.is_entry) continue;
    function_names_[id.value] = module_names_.take(m_.names().text(f.name));
    has_fragment_ = has_fragment_ || f.entry.stage == ir::Stage::fragment;
  }
}

std::vector<std::string> Writer::entry_names() {
  name_entries();
  std::vector<std::string> names;
  for (ir::FunctionId id : m_.function_order) {
    if (m_.functions[id].is_entry && !m_.functions[id].dead) names.push_back(function_names_[id.value]);
  }
  return names;
}

std::string Writer::run() {
  global_names_.resize(m_.globals.size());
  name_entries();
  for (ir::GlobalId id : m_.global_order) global_names_[id.value] = module_names_.take(m_.names().text(m_.globals[id].name));
  for (ir::FunctionId id : m_.function_order) {
    if (function_names_[id.value].empty())
      function_names_[id.value] = module_names_.take(m_.names().text(m_.functions[id].name));
  }
  for (ir::InstId id : m_.module_insts) {
    const uint32_t g = m_.insts[id].first_result.index();
    if (global_names_[g].empty()) global_names_[g] = module_names_.take("derived");
  }
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
  if (has_fragment_) out << "diagnostic(off, derivative_uniformity);\n";
  if (out.size() != 0) out << '\n';
  out << structs_.text() << declarations_.text();
  if (declarations_.size() != 0) out << '\n';
  out << functions_.text();
  std::string text = out.take();
  while (text.size() > 1 && text[text.size() - 1] == '\n' && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

std::string write(const ir::Module& module, const Options& options) { return Writer(module, options).run(); }

std::vector<std::string> entry_names(const ir::Module& module) { return Writer(module, {}).entry_names(); }

}  // namespace carry::write::wgsl
