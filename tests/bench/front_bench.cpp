// Bytes of source per second: scanner, preprocessor, parser.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "lex/scan.h"
#include "preprocess/preprocess.h"
#include "syntax/parser.h"

namespace {

using namespace carry;

// The demo's program, its functions repeated so that start-up does not count. Run from the root of the repository.
std::string program() {
  std::ifstream in("demo/wide_arithmetic.comp");
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  const size_t first = all.find("uvec2 add64"), last = all.find("void main()");
  if (first == std::string::npos || last == std::string::npos) return "";
  std::string out = all.substr(0, first);
  for (int i = 0; i < 40; ++i) {
    out += "\n#define ROUND " + std::to_string(i) + "\n#if ROUND < 100\n" + all.substr(first, last - first) +
           "#endif\n#undef ROUND\n";
  }
  return out + all.substr(last);
}

struct Front {
  SourceMap sources;
  Names names;
  Emitter diags;
  SourceId file;
  explicit Front(const std::string& text) : file(sources.add_file("bench.comp", text)) {}
};

void set_bytes(benchmark::State& state, const std::string& text) {
  if (text.empty()) state.SkipWithError("run from the root of the repository");
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void bench_scan(benchmark::State& state) {
  const std::string text = program();
  for (auto _ : state) {
    Front front(text);
    benchmark::DoNotOptimize(scan(front.sources, front.file, front.names, front.diags));
  }
  set_bytes(state, text);
}
BENCHMARK(bench_scan);

void bench_preprocess(benchmark::State& state) {
  const std::string text = program();
  PreprocessOptions options;
  for (auto _ : state) {
    Front front(text);
    benchmark::DoNotOptimize(preprocess(front.sources, front.file, front.names, front.diags, options, nullptr));
  }
  set_bytes(state, text);
}
BENCHMARK(bench_preprocess);

void bench_parse(benchmark::State& state) {
  const std::string text = program();
  Front front(text);
  const Preprocessed tokens = preprocess(front.sources, front.file, front.names, front.diags, {}, nullptr);
  LanguageMode mode;
  mode.language = SourceLanguage::glsl;
  mode.glsl_version = 450;
  for (auto _ : state) {
    benchmark::DoNotOptimize(syntax::parse(tokens.tokens, front.names, front.sources, mode, glsl::grammar(), front.diags));
  }
  set_bytes(state, text);
}
BENCHMARK(bench_parse);

}  // namespace
