// Scanner and preprocessor, bytes of source per second.
#include <benchmark/benchmark.h>

#include <string>

#include "lex/scan.h"
#include "preprocess/preprocess.h"

namespace carry {
namespace {

std::string source(size_t functions) {
  std::string text =
      "#version 450\n#define SCALE 0.25\n#define SQUARE(x) ((x) * (x))\n#define LENGTH2(v) (SQUARE(v.x) + SQUARE(v.y))\n";
  for (size_t i = 0; i < functions; ++i) {
    const std::string n = std::to_string(i);
    text += "// Distance of a point from the light number " + n + ", scaled.\nfloat light_distance_" + n +
            "(vec2 position, float radius) {\n  vec2 delta = position - light_positions[" + n +
            "].xy;\n#if defined(SCALE) && 1\n  float squared = LENGTH2(delta) * SCALE;\n#else\n  float squared = 0.0;\n"
            "#endif\n  return squared < radius * radius ? inversesqrt(squared + 1e-6f) : 0.0;\n}\n\n";
  }
  return text;
}

void scan_text(benchmark::State& state) {
  const auto text = std::make_shared<const std::string>(source(static_cast<size_t>(state.range(0))));
  for (auto _ : state) {
    SourceMap sources;
    Names names;
    Emitter diags;
    benchmark::DoNotOptimize(scan(sources, sources.add_file("a", text), names, diags));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text->size()));
}
BENCHMARK(scan_text)->Arg(10)->Arg(1000);

void preprocess_text(benchmark::State& state) {
  const auto text = std::make_shared<const std::string>(source(static_cast<size_t>(state.range(0))));
  const PreprocessOptions options;
  for (auto _ : state) {
    SourceMap sources;
    Names names;
    Emitter diags;
    benchmark::DoNotOptimize(preprocess(sources, sources.add_file("a", text), names, diags, options, nullptr));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text->size()));
}
BENCHMARK(preprocess_text)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace carry
