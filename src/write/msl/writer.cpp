#include "write/msl/writer.h"

#include "write/msl/state.h"

namespace carry::write::msl {

void Writer::name_entries() {
  function_names_.resize(m_.functions.size());
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (!f.is_entry) continue;
    // `main` is not a legal name of a Metal entry.
    const std::string_view wanted = m_.names().text(f.name);
    function_names_[id.value] = module_names_.take(wanted == "main" ? "main0" : wanted);
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
  for (ir::GlobalId id : m_.global_order) {
    const ir::Global& g = m_.globals[id];
    if (g.kind != ir::GlobalKind::variable || g.space == Space::private_)
      global_names_[id.value] = module_names_.take(m_.names().text(g.name));
  }
  for (ir::FunctionId id : m_.function_order) {
    if (function_names_[id.value].empty())
      function_names_[id.value] = module_names_.take(m_.names().text(m_.functions[id].name));
  }
  for (ir::InstId id : m_.module_insts) {
    const uint32_t g = m_.insts[id].first_result.index();
    if (global_names_[g].empty()) global_names_[g] = module_names_.take("derived");
  }
  for (uint32_t i = 0; i < m_.insts.size(); ++i) precise_ = precise_ || (m_.insts[ir::InstId(i)].flags & ir::kPrecise) != 0;
  mark_io_structs();
  overrides();
  for (ir::FunctionId id : m_.function_order) {
    if (!m_.functions[id].dead) function(id);
  }
  TextSink out;
  out << "#include <metal_stdlib>\nusing namespace metal;\n\n";
  if (precise_) out << "#pragma METAL fp contract(off)\n\n";
  out << structs_.text() << declarations_.text() << functions_.text();
  std::string text = out.take();
  while (text.size() > 1 && text[text.size() - 1] == '\n' && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

std::string write(const ir::Module& module, const Options& options) { return Writer(module, options).run(); }

std::vector<std::string> entry_names(const ir::Module& module) { return Writer(module, {}).entry_names(); }

}  // namespace carry::write::msl
