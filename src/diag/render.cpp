#include "diag/render.h"

#include <algorithm>

#include "diag/render_forms.h"

namespace carry {

namespace {

constexpr size_t kMaxExpansionNotes = 5;
constexpr size_t kMaxIncludeNotes = 4;

Diagnostic make_note(DiagId id, Loc loc) {
  Diagnostic note;
  note.id = id;
  note.severity = Severity::note;
  note.range.begin = loc;
  return note;
}

void add_expansion_notes(Loc loc, const SourceMap& sources, std::vector<Diagnostic>& notes) {
  size_t count = 0;
  while (sources.is_expansion(loc) && count < kMaxExpansionNotes) {
    const ExpansionInfo info = sources.expansion(loc);
    if (info.from_argument) {
      loc = info.spelling;  // what the user wrote at the call: the macro is not what matters
      continue;
    }
    const Loc spelled = sources.spelling(info.spelling);
    // Predefined macros have no place that could be shown.
    if (sources.place(spelled).line != 0) {
      Diagnostic note = make_note(DiagId::expanded_from, spelled);
      note.args.emplace_back(sources.token_text(info.name));
      notes.push_back(std::move(note));
      ++count;
    }
    loc = info.name;
  }
}

void add_include_notes(Loc loc, const SourceMap& sources, std::vector<Diagnostic>& notes) {
  SourceId file = sources.file_of(sources.file_loc(loc));
  for (size_t count = 0; file && count < kMaxIncludeNotes; ++count) {
    const Loc at = sources.included_at(file);
    if (at.is_none()) return;
    notes.push_back(make_note(DiagId::included_from, at));
    file = sources.file_of(sources.file_loc(at));
  }
}

}  // namespace

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::remark: return "remark";
    case Severity::warning: return "warning";
    case Severity::error:
    case Severity::fatal: return "error";
  }
  return "error";
}

std::string full_text(const Diagnostic& diagnostic) {
  std::string text = message_text(diagnostic);
  return diagnostic.target.empty() ? text : diagnostic.target + ": " + text;
}

std::vector<Diagnostic> all_notes(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<Diagnostic> notes = diagnostic.notes;
  add_expansion_notes(diagnostic.range.begin, sources, notes);
  add_include_notes(diagnostic.range.begin, sources, notes);
  return notes;
}

void render(const Diagnostic& diagnostic, const SourceMap& sources, const RenderOptions& options, TextSink& out) {
  switch (options.format) {
    case DiagFormat::text: return render_text(diagnostic, sources, options.colour, out);
    case DiagFormat::msvc: return render_msvc(diagnostic, sources, out);
    case DiagFormat::json: return render_json(diagnostic, sources, out);
    case DiagFormat::sarif: return render_sarif(diagnostic, sources, out);
  }
}

void render_all(const Emitter& diags, const SourceMap& sources, const RenderOptions& options, TextSink& out) {
  for (const Diagnostic& diagnostic : diags.diagnostics()) render(diagnostic, sources, options, out);
}

}  // namespace carry
