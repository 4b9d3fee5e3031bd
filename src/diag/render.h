// Diagnostics as text for people (caret form), for Visual Studio (msvc) and for tools (json, sarif). Nothing here prints.
#pragma once

#include "base/text_sink.h"
#include "diag/diag.h"
#include "source/source_map.h"

namespace carry {

/// `sarif`: one result object a message and line; `sarif_log` makes a document of them.
enum class DiagFormat : uint8_t { text, msvc, json, sarif };

struct RenderOptions {
  DiagFormat format = DiagFormat::text;
  bool colour = false;  // text form only
};

/// Appends one diagnostic with its notes and fix-its; the notes of the include stack and of macro expansions are added
/// here. `sources` holds the text that the places of the diagnostic lie in.
void render(const Diagnostic& diagnostic, const SourceMap& sources, const RenderOptions& options, TextSink& out);
/// All of them, in order.
void render_all(const Emitter& diags, const SourceMap& sources, const RenderOptions& options, TextSink& out);

/// A whole SARIF 2.1.0 document around results, one a line.
[[nodiscard]] std::string sarif_log(std::string_view results, std::string_view tool_version);
/// "error", "warning" ...: a fatal error is called an error.
[[nodiscard]] std::string_view severity_text(Severity severity);
/// "wgsl: text": what follows the code in every form but JSON.
[[nodiscard]] std::string full_text(const Diagnostic& diagnostic);
/// The diagnostic's own notes, then macro expansions (innermost first), then the include stack.
[[nodiscard]] std::vector<Diagnostic> all_notes(const Diagnostic& diagnostic, const SourceMap& sources);
/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
void json_string(std::string_view text, TextSink& out);

}  // namespace carry
