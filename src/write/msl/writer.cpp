#include "write/msl/writer.h"

#include "write/msl/state.h"

namespace carry::write::msl {

// `main` is not a legal name of a Metal entry.
void Writer::name_entries() { module_names_.take_entries("main0"); }

std::vector<std::string> Writer::entry_names() {
  name_entries();
  return module_names_.live_entries();
}

std::string Writer::run() {
  name_entries();
  module_names_.take_globals(
      [](const ir::Global& g) { return g.kind != ir::GlobalKind::variable || g.space == Space::private_; });
  for (uint32_t i = 0; i < m_.insts.size(); ++i) precise_ = precise_ || (m_.insts[ir::InstId(i)].flags & ir::kPrecise) != 0;
  mark_io_structs();
  find_coherent();
  overrides();
  for (ir::FunctionId id : m_.function_order) {
    if (!m_.functions[id].dead) function(id);
  }
  TextSink out;
  out << "#include <metal_stdlib>\nusing namespace metal;\n\n";
  // MSL 1.6.3. Fast math, the default, knows no NaN; before Metal 3.2 only an option of the compiler switches it off.
  if (options_.version >= 302) out << "#pragma METAL fp math_mode(safe)\n";
  if (precise_) out << (options_.version >= 302 ? "#pragma METAL fp contract(off)\n" : "#pragma STDC FP_CONTRACT OFF\n");
  if (precise_ || options_.version >= 302) out << '\n';
  out << structs_.text() << declarations_.text() << functions_.text();
  return text::without_trailing_lines(out.take());
}

std::string write(const ir::Module& module, const Options& options) { return Writer(module, options).run(); }

std::vector<std::string> entry_names(const ir::Module& module) { return Writer(module, {}).entry_names(); }

}  // namespace carry::write::msl
