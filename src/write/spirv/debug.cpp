// -g: where instructions come from. A line holds until the next one or the end of its block (SPIR-V 3.49.2, OpLine).
#include "write/spirv/state.h"

namespace carry::write::spirv {

SpvId Writer::file_string(std::string_view file) {
  std::string text(file);
  for (const auto& [old_prefix, new_prefix] : options_.debug.prefixes) {
    if (file.substr(0, old_prefix.size()) == old_prefix) text = new_prefix + std::string(file.substr(old_prefix.size()));
  }
  SpvId& id = file_strings_[text];
  if (id != 0) return id;
  id = new_id();
  string_words_.begin(spv::Op::OpString);
  string_words_.word(id);
  string_words_.string(text);
  string_words_.end();
  return id;
}

/// After all strings are there: OpSource stands behind OpString.
void Writer::debug_source() {
  const DebugOptions& d = options_.debug;
  if (d.sources == nullptr) return;
  const SpvId file = file_string(m_.names().text(m_.source_file));
  string_words_.inst(spv::Op::OpSource, {d.language, d.language_version, file});
}

void Writer::debug_line(ir::LocId loc) {
  const SourceMap* sources = options_.debug.sources;
  if (sources == nullptr || !loc) return;
  const Place place = sources->place(sources->file_range(m_.locs[loc].range).begin);
  const bool same = place.line == line_.line && place.column == line_.column && place.file == line_.file;
  if (place.line == 0 || same) return;
  body_.inst(spv::Op::OpLine, {file_string(place.file), place.line, place.column});
  line_ = place;
}

}  // namespace carry::write::spirv
