// The forms behind render(): private to src/diag.
#pragma once

#include "diag/render.h"

namespace carry {

void render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool colour, TextSink& out);
void render_msvc(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out);
void render_sarif(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out);
void render_json(const Diagnostic& diagnostic, const SourceMap& sources, TextSink& out);

}  // namespace carry
