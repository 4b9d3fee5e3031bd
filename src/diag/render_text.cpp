#include <algorithm>

#include "diag/render_forms.h"

namespace carry {

namespace {

constexpr size_t kMaxLine = 240;  // longer source lines are cut around the range

struct Colours {
  std::string_view bold, error, warning, note, mark, off;
};
constexpr Colours kNoColours{};
constexpr Colours kAnsi{"\x1b[1m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[0m"};

std::string_view severity_colour(const Colours& colours, Severity severity) {
  switch (severity) {
    case Severity::note:
    case Severity::remark: return colours.note;
    case Severity::warning: return colours.warning;
    case Severity::error:
    case Severity::fatal: return colours.error;
  }
  return colours.error;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Control bytes must not reach the terminal; tabs stay.
void append_printable(std::string_view text, TextSink& out) {
  for (char c : text) out << (c != '\t' && is_control(c) ? '?' : c);
}

void append_padding(std::string_view text, TextSink& out) {
  for (char c : text) {
    if (!continues_character(c)) out << (c == '\t' ? '\t' : ' ');
  }
}

struct Snippet {
  std::string_view line;  // a part of the source line
  size_t begin = 0;       // of the range, in `line`
  size_t end = 0;
  bool cut_before = false;
};

Snippet make_snippet(LocRange range, const SourceMap& sources) {
  Snippet snippet;
  snippet.line = sources.line_text(range.begin);
  const Loc start = range.begin;
  const std::string_view file = sources.text(sources.file_of(start));
  const size_t column = static_cast<size_t>(start.offset - sources.loc(sources.file_of(start), 0).offset) -
                        static_cast<size_t>(snippet.line.data() - file.data());
  snippet.begin = std::min(column, snippet.line.size());
  const size_t length = range.end.offset > range.begin.offset ? range.end.offset - range.begin.offset : 0;
  snippet.end = std::min(snippet.begin + length, snippet.line.size());
  if (snippet.line.size() > kMaxLine) {
    const size_t from = snippet.begin > kMaxLine / 3 ? snippet.begin - kMaxLine / 3 : 0;
    snippet.line = snippet.line.substr(from, kMaxLine);
    snippet.begin -= from;
    snippet.end = std::min(snippet.end - from, snippet.line.size());
    snippet.cut_before = from != 0;
  }
  return snippet;
}

void render_snippet(const Diagnostic& diagnostic, LocRange range, const SourceMap& sources, const Colours& colours,
                    TextSink& out) {
  const Snippet snippet = make_snippet(range, sources);
  if (diagnostic.fixes.empty() && snippet.line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const std::string_view prefix = snippet.cut_before ? "  ..." : "  ";
  out << prefix;
  append_printable(snippet.line, out);
  out << "\n";
  for (size_t i = 0; i < prefix.size(); ++i) out << ' ';
  append_padding(snippet.line.substr(0, snippet.begin), out);
  out << colours.mark << '^';
  bool first = true;
  for (char c : snippet.line.substr(snippet.begin, snippet.end - snippet.begin)) {
    if (continues_character(c)) continue;
    if (!first) out << '~';
    first = false;
  }
  out << colours.off << "\n";
  for (const FixIt& fix : diagnostic.fixes) {
    const LocRange place = sources.file_range(fix.range);
    // Only what can be shown below the line that is shown.
    if (place.begin.is_none() || sources.line_text(place.begin).data() != sources.line_text(range.begin).data() ||
        snippet.cut_before || fix.text.find('\n') != std::string::npos) {
      continue;
    }
    const Snippet where = make_snippet(place, sources);
    out << prefix;
    append_padding(where.line.substr(0, where.begin), out);
    out << colours.mark;
    append_printable(fix.text, out);
    out << colours.off << "\n";
  }
}

void render_fix_lines(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  for (const FixIt& fix : diagnostic.fixes) {
    const LocRange range = sources.file_range(fix.range);
    const Place place = sources.place(range.begin);
    if (place.line == 0) continue;
    out << "  fix: " << place.file << ':' << place.line << ':' << place.column << ": ";
    const bool inserts = range.begin == range.end;
    std::string text = fix.text;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    if (text.empty()) {
      out << "remove this";
    } else {
      out << (inserts ? "insert `" : "write `");
      append_printable(text, out);
      out << '`';
    }
    out << "\n";
  }
}

void render_one(const Diagnostic& diagnostic, const SourceMap& sources, const Colours& colours, TextSink& out) {
  const LocRange range = sources.file_range(diagnostic.range);
  const Place place = sources.place(range.begin);
  const DiagRow& row = diag_row(diagnostic.id);
  out << colours.bold;
  if (place.line != 0) {
    append_printable(place.file, out);
    out << ':' << place.line << ':' << place.column << ": ";
  } else {
    out << "carry: ";
  }
  out << colours.off << severity_colour(colours, diagnostic.severity) << severity_text(diagnostic.severity);
  if (diagnostic.severity != Severity::note) {
    out << "[CY";
    if (row.code < 1000) out << '0';
    out << static_cast<unsigned>(row.code) << ']';
  }
  out << ": " << colours.off << colours.bold;
  append_printable(full_text(diagnostic), out);
  out << colours.off;
  if (row.severity == Severity::warning) {
    out << (diagnostic.severity == Severity::error ? " [-Werror=" : " [-W") << row.name << ']';
  }
  out << "\n";
  if (place.line != 0) render_snippet(diagnostic, range, sources, colours, out);
  render_fix_lines(diagnostic, sources, out);
}

}  // namespace

void render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool colour, TextSink& out) {
  const Colours& colours = colour ? kAnsi : kNoColours;
  render_one(diagnostic, sources, colours, out);
  for (const Diagnostic& note : all_notes(diagnostic, sources)) render_one(note, sources, colours, out);
}

namespace {

void msvc_line(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  const Place place = sources.place(diagnostic.range.begin);
  if (place.line != 0) {
    append_printable(place.file, out);
    out << '(' << place.line << ',' << place.column << "): ";
  } else {
    out << "carry: ";
  }
  out << severity_text(diagnostic.severity);
  out << " CY" << static_cast<unsigned>(diag_row(diagnostic.id).code) << ": ";
  append_printable(full_text(diagnostic), out);
  for (const FixIt& fix : diagnostic.fixes) {
    std::string text = fix.text;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    out << "; ";
    if (text.empty()) {
      out << "remove this";
    } else {
      out << "write `";
      append_printable(text, out);
      out << '`';
    }
  }
  out << "\n";
}

}  // namespace

void render_msvc(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out) {
  msvc_line(diagnostic, sources, out);
  for (const Diagnostic& note : all_notes(diagnostic, sources)) msvc_line(note, sources, out);
}

}  // namespace carry
