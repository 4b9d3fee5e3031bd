// SARIF 2.1.0, as code scanning services read it. Columns count code points there, not bytes.
#include "diag/render_forms.h"

namespace carry {

namespace {

uint32_t code_point_column(const Place& place, std::string_view line) {
  uint32_t column = 1;
  for (size_t i = 0; i + 1 < place.column && i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) ++column;
  }
  return column;
}

void uri(std::string_view path, TextSink& out) {
  TextSink text;
  for (char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      text << c;
    } else {
      text << '%';
      text.hex(static_cast<unsigned char>(c), 2);
    }
  }
  json_string(text.text(), out);
}

void region(LocRange file, const SourceMap& sources, TextSink& out) {
  const Place begin = sources.place(file.begin);
  const Place end = sources.place(file.end);
  out << "{\"startLine\":" << begin.line << ",\"startColumn\":" << code_point_column(begin, sources.line_text(file.begin));
  if (end.line >= begin.line && end.line != 0)
    out << ",\"endLine\":" << end.line << ",\"endColumn\":" << code_point_column(end, sources.line_text(file.end));
  out << '}';
}

/// False, and nothing written, without a place.
bool location(LocRange range, const SourceMap& sources, TextSink& out) {
  const LocRange file = sources.file_range(range);
  const Place begin = sources.place(file.begin);
  if (begin.line == 0) return false;
  out << "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":";
  uri(begin.file, out);
  out << "},\"region\":";
  region(file, sources, out);
  out << '}';
  return true;
}

void message(std::string_view text, TextSink& out) {
  out << "\"message\":{\"text\":";
  json_string(text, out);
  out << '}';
}

std::string_view level(Severity severity) {
  if (severity == Severity::error || severity == Severity::fatal) return "error";
  return severity == Severity::warning ? "warning" : "note";
}

void fixes(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  std::string_view separator = ",\"fixes\":[";
  for (const FixIt& fix : diagnostic.fixes) {
    const LocRange file = sources.file_range(fix.range);
    const Place begin = sources.place(file.begin);
    if (begin.line == 0) continue;
    out << separator << "{\"artifactChanges\":[{\"artifactLocation\":{\"uri\":";
    uri(begin.file, out);
    out << "},\"replacements\":[{\"deletedRegion\":";
    region(file, sources, out);
    out << ",\"insertedContent\":{\"text\":";
    json_string(fix.text, out);
    out << "}}]}]}";
    separator = ",";
  }
  if (separator == ",") out << ']';
}

}  // namespace

void render_sarif(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  const DiagRow& row = diag_row(diagnostic.id);
  out << "{\"ruleId\":\"CY" << static_cast<unsigned>(row.code) << "\",\"level\":\"" << level(diagnostic.severity) << "\",";
  message(full_text(diagnostic), out);
  TextSink place;
  if (location(diagnostic.range, sources, place)) out << ",\"locations\":[" << place.text() << "}]";
  std::string_view separator = ",\"relatedLocations\":[";
  for (const Diagnostic& note : all_notes(diagnostic, sources)) {
    TextSink where;
    if (!location(note.range, sources, where)) continue;
    out << separator << where.text() << ',';
    message(full_text(note), out);
    out << '}';
    separator = ",";
  }
  if (separator == ",") out << ']';
  fixes(diagnostic, sources, out);
  out << ",\"properties\":{\"name\":\"" << row.name << '"';
  if (!diagnostic.target.empty()) {
    out << ",\"target\":";
    json_string(diagnostic.target, out);
  }
  out << "}}\n";
}

std::string sarif_log(std::string_view results, std::string_view tool_version) {
  TextSink out;
  out << "{\"$schema\":\"https://json.schemastore.org/"
         "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
         "\"name\":\"carry\",\"version\":";
  json_string(tool_version, out);
  out << "}},\"columnKind\":\"unicodeCodePoints\",\"results\":[";
  std::string_view separator = "\n";
  while (!results.empty()) {
    const size_t end = results.find('\n');
    out << separator << results.substr(0, end);
    separator = ",\n";
    if (end == std::string_view::npos) break;
    results.remove_prefix(end + 1);
  }
  out << "]}]}\n";
  return out.take();
}

}  // namespace carry
