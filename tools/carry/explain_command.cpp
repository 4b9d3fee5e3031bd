#include "explain_command.h"

#include "diag/diag.h"
#include "diag/render.h"
#include "files.h"

namespace carry::cli {

int explain_command(const CommandLine& line) {
  if (line.files.empty()) {
    print_error("carry: error: explain needs a code (CY3012) or a name (literal-changes-sign)\n");
    return 2;
  }
  for (const std::string& word : line.files) {
    const std::string name = word.compare(0, 2, "-W") == 0 ? word.substr(2) : word;
    const DiagId id = find_diag(name);
    if (id == DiagId::count_) {
      std::vector<std::string_view> names;
      for (size_t i = 0; i < static_cast<size_t>(DiagId::count_); ++i)
        names.emplace_back(diag_row(static_cast<DiagId>(i)).name);
      const std::string_view near = nearest(name, names);
      print_error("carry: error: there is no message `" + word + "`" +
                  (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?") + "\n");
      return 1;
    }
    const DiagRow& row = diag_row(id);
    std::string code = std::to_string(row.code);
    std::string text = "CY" + std::string(4 - code.size(), '0') + code + " " + row.name + " (" +
                       std::string(severity_text(row.severity)) + ")\n  " + row.text + "\n";
    if (row.severity == Severity::warning)
      text += row.default_on ? "  on by default; -Wno-" + std::string(row.name) + " turns it off\n"
                             : "  off by default; -W" + std::string(row.name) + " turns it on\n";
    print_out(text);
  }
  return 0;
}

}  // namespace carry::cli
