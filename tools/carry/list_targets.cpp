#include "list_targets.h"

#include "target/target.h"

namespace carry::cli {

namespace {

target::Target target_of(std::string_view name) {
  target::Target t;
  std::string error;
  static_cast<void>(target::find_target(name, t, error));  // names come from the table
  return t;
}

/// What the target refuses, a feature a line; the way out after `:` is for error messages.
std::string refused(const target::Target& t) {
  std::string text;
  for (const target::Reject& r : t.rejects) {
    const std::string_view meaning = ir::feature_meaning(r.feature);
    text += "  " + std::string(meaning.substr(0, meaning.find(':'))) + "\n";
  }
  return text.empty() ? "  nothing\n" : text;
}

}  // namespace

std::string list_targets_text() {
  const std::vector<std::string_view> names = target::target_names();
  std::string text;
  for (std::string_view name : names) text += std::string(name) + "\n";
  text += "\nfeatures to add, as in wgsl+f16:\n";
  for (std::string_view name : {"spirv", "msl", "wgsl"}) {
    text += "  " + std::string(name) + ":";
    for (std::string_view extra : target::extra_names(target_of(name).family)) text += " +" + std::string(extra);
    text += name == "msl" ? ", -ios\n" : "\n";
  }
  // Neighbours that refuse the same share a list.
  for (size_t i = 0; i < names.size();) {
    const std::string list = refused(target_of(names[i]));
    text += "\n" + std::string(names[i]);
    size_t end = i + 1;
    for (; end < names.size() && refused(target_of(names[end])) == list; ++end) text += " " + std::string(names[end]);
    text += " cannot say:\n" + list;
    i = end;
  }
  text +=
      "\nwhat the host does for equal results:\n"
      "  msl before msl3.2: compile with -fno-fast-math (fastMathEnabled = NO); from msl3.2 on the text says it\n"
      "  msl: compile with -fpreserve-invariance (preserveInvariance = YES) where a position is invariant\n"
      "  wgsl: `precise` cannot be said; an implementation may contract and reorder floats\n";
  return text;
}

}  // namespace carry::cli
