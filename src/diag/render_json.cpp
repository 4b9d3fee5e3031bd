// One object a message and line. Keys are always all there, in this order: file, line, col, end, severity, code, name,
// text, notes, fixes, target. `end` is {"line", "col"}, just past the range; notes are objects of the same form without
// notes, fixes and target; a fix is {"file", "line", "col", "end", "text"}. Without a place file is "" and line is 0.
#include "diag/render_forms.h"

namespace carry {

namespace {

/// Bytes of the well-formed UTF-8 character at `i`, else 0.
size_t utf8_size(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  size_t size = 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) size = 2;
  if (first >= 0xe0 && first <= 0xef) size = 3;
  if (first >= 0xf0 && first <= 0xf4) size = 4;
  if (size == 0 || i + size > text.size()) return 0;
  for (size_t k = 1; k < size; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(i + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : size;
}

void json_place(const Place& place, TextSink& out) { out << "\"line\":" << place.line << ",\"col\":" << place.column; }

void json_range(LocRange range, const SourceMap& sources, TextSink& out) {
  const LocRange file = sources.file_range(range);
  const Place begin = sources.place(file.begin);
  out << "\"file\":";
  json_string(begin.file, out);
  out << ',';
  json_place(begin, out);
  out << ",\"end\":{";
  json_place(sources.place(file.end), out);
  out << '}';
}

void json_message(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  const DiagRow& row = diag_row(diagnostic.id);
  json_range(diagnostic.range, sources, out);
  out << ",\"severity\":\"" << severity_text(diagnostic.severity) << "\",\"code\":\"CY" << static_cast<unsigned>(row.code)
      << "\",\"name\":\"" << row.name << "\",\"text\":";
  json_string(message_text(diagnostic), out);
}

}  // namespace

void json_string(std::string_view text, TextSink& out) {
  out << '"';
  for (size_t i = 0; i < text.size();) {
    const size_t size = utf8_size(text, i);
    if (size == 0) {
      out << "\xef\xbf\xbd";
      ++i;
      continue;
    }
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (c == '\n') {
      out << "\\n";
    } else if (c == '\t') {
      out << "\\t";
    } else if (c == '\r') {
      out << "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out << "\\u";
      out.hex(static_cast<unsigned char>(c), 4);
    } else {
      out << text.substr(i, size);
    }
    i += size;
  }
  out << '"';
}

void render_json(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  out << '{';
  json_message(diagnostic, sources, out);
  out << ",\"notes\":[";
  bool first = true;
  for (const Diagnostic& note : all_notes(diagnostic, sources)) {
    out << (first ? "{" : ",{");
    json_message(note, sources, out);
    out << '}';
    first = false;
  }
  out << "],\"fixes\":[";
  first = true;
  for (const FixIt& fix : diagnostic.fixes) {
    out << (first ? "{" : ",{");
    json_range(fix.range, sources, out);
    out << ",\"text\":";
    json_string(fix.text, out);
    out << '}';
    first = false;
  }
  out << "],\"target\":";
  json_string(diagnostic.target, out);
  out << "}\n";
}

}  // namespace carry
