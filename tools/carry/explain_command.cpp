#include "explain_command.h"

#include "diag/diag.h"
#include "diag/explain.h"
#include "diag/render.h"
#include "files.h"

namespace carry::cli {

namespace {

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += "  " + std::string(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string code_of(const DiagRow& row) { return "CY" + std::to_string(row.code); }

/// What `carry explain` prints about one message.
std::string explain(DiagId id) {
  const DiagRow& row = diag_row(id);
  const Explanation& e = explanation(id);
  std::string text =
      code_of(row) + " " + row.name + " (" + std::string(severity_text(row.severity)) + ")\n  " + row.text + "\n";
  if (row.severity == Severity::warning)
    text += row.default_on ? "  on by default; -Wno-" + std::string(row.name) + " turns it off\n"
                           : "  off by default; -W" + std::string(row.name) + " turns it on\n";
  text += "\n" + indented(e.rule);
  if (!e.clause.empty()) text += "  See: " + std::string(e.clause) + "\n";
  if (!e.example.empty()) text += "\nexample (" + std::string(e.options) + ")\n" + indented(e.example);
  if (!e.mend.empty()) text += "\nto mend\n" + indented(e.mend);
  return text;
}

/// For tools, and for the test that compiles every example.
void json_explanation(DiagId id, TextSink& out) {
  const DiagRow& row = diag_row(id);
  const Explanation& e = explanation(id);
  const std::pair<std::string_view, std::string_view> fields[] = {
      {"rule", e.rule}, {"clause", e.clause}, {"options", e.options}, {"example", e.example}, {"mend", e.mend}};
  out << "{\"code\":\"" << code_of(row) << "\",\"name\":\"" << row.name << "\",\"severity\":\"" << severity_text(row.severity)
      << "\",\"text\":";
  json_string(row.text, out);
  for (const auto& [key, value] : fields) {
    out << ",\"" << key << "\":";
    json_string(value, out);
  }
  out << "}\n";
}

}  // namespace

int explain_command(const CommandLine& line) {
  std::vector<std::string> words = line.files;
  for (const GivenOption& o : line.options) {  // -Wname, as a message shows it
    if (o.id == Opt::warning) words.push_back(o.value.compare(0, 6, "error=") == 0 ? o.value.substr(6) : o.value);
  }
  const bool json = line.has(Opt::json);
  if (words.empty() && json) {
    for (size_t i = 0; i < static_cast<size_t>(DiagId::count_); ++i) words.push_back(diag_row(static_cast<DiagId>(i)).name);
  }
  if (words.empty()) {
    print_error("carry: error: explain needs a code (CY3012) or a name (literal-changes-sign)\n");
    return 2;
  }
  TextSink out;
  for (const std::string& name : words) {
    const DiagId id = find_diag(name);
    if (id == DiagId::count_) {
      std::vector<std::string_view> names;
      for (size_t i = 0; i < static_cast<size_t>(DiagId::count_); ++i)
        names.emplace_back(diag_row(static_cast<DiagId>(i)).name);
      const std::string_view near = nearest(name, names);
      print_out(out.text());
      print_error("carry: error: there is no message `" + name + "`" +
                  (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?") + "\n");
      return 1;
    }
    if (json) {
      json_explanation(id, out);
    } else {
      out << (out.size() == 0 ? "" : "\n") << explain(id);
    }
  }
  print_out(out.text());
  return 0;
}

}  // namespace carry::cli
