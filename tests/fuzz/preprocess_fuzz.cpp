// The preprocessor on any text in both languages; its printed result must preprocess to the same number of tokens.
#include <cstdlib>

#include "diag/render.h"
#include "preprocess/preprocess.h"

using namespace carry;

namespace {

struct Job {
  SourceMap sources;
  Names names;
  Emitter diags;
  Preprocessed result;

  Job(std::string text, const PreprocessOptions& options) {
    MemoryResolver files({""});
    files.add("self.h", text);
    const SourceId main = sources.add_file("fuzz", std::move(text));
    result = preprocess(sources, main, names, diags, options, &files);
    TextSink out;
    render_all(diags, sources, {DiagFormat::text, true}, out);
    render_all(diags, sources, {DiagFormat::json, false}, out);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  PreprocessOptions options;
  options.language = (data[0] & 1) != 0 ? PreprocessLanguage::hlsl : PreprocessLanguage::glsl;
  options.include_without_extension = true;
  options.limits.expanded_tokens = 1u << 16;
  options.limits.include_depth = 8;
  options.limits.includes = 32;
  const Job first(text, options);
  if (first.diags.has_errors()) return 0;
  const Job second(preprocessed_text(first.result, first.sources, first.names, options.language), options);
  if (second.diags.has_errors()) std::abort();
  if (first.result.tokens.tokens.size() != second.result.tokens.tokens.size()) std::abort();
  return 0;
}
