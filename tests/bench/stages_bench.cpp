// Bytes of source per second of each stage, over the programs of demo/ and tests/exec/ (run from the root of the repository).
// A stage's time is its own: what it needs is made before.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "driver/front.h"
#include "ir/verify.h"
#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "lex/scan.h"
#include "lower/lower.h"
#include "syntax/parser.h"
#include "target/prepare.h"
#include "write/msl/writer.h"
#include "write/spirv/writer.h"
#include "write/wgsl/writer.h"

namespace {

using namespace carry;
namespace fs = std::filesystem;

struct Program {
  driver::Request request;
  driver::Output output;  // compiled as far as the canonical module
  size_t bytes = 0;
};

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void add_program(std::vector<std::unique_ptr<Program>>& list, std::string text, bool hlsl, Stage stage) {
  auto p = std::make_unique<Program>();
  p->bytes = text.size();
  p->request.name = "bench";
  p->request.text = std::make_shared<const std::string>(std::move(text));
  p->request.language = hlsl ? SourceLanguage::hlsl : SourceLanguage::glsl;
  p->request.stage = stage;
  p->request.stop_after = driver::StopAfter::lower;
  p->output = driver::compile({}, p->request);
  // A source whose macros expand to more tokens than it has bytes says nothing about bytes per second.
  if (p->output.ok && p->output.compilation->preprocessed.tokens.tokens.size() <= p->bytes) list.push_back(std::move(p));
}

/// The sources in a test: `--- source LANGUAGE STAGE`, then lines up to the next `---`.
void add_test(std::vector<std::unique_ptr<Program>>& list, const std::string& test) {
  std::istringstream lines(test);
  std::string line, kind, language, stage, text;
  const auto flush = [&] {
    if (kind == "source" && stage == "comp") add_program(list, text, language == "hlsl", Stage::compute);
    text.clear();
  };
  while (std::getline(lines, line)) {
    if (line.rfind("---", 0) != 0) {
      text += line + '\n';
      continue;
    }
    flush();
    kind.clear();
    std::istringstream words(line.substr(3));
    words >> kind >> language >> stage;
  }
  flush();
}

const std::vector<std::unique_ptr<Program>>& programs() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<Program>> list;
    add_program(list, contents("demo/histogram.hlsl"), true, Stage::compute);
    add_program(list, contents("demo/wide_arithmetic.comp"), false, Stage::compute);
    std::vector<fs::path> tests;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator("tests/exec", none)) {
      if (entry.path().extension() == ".test") tests.push_back(entry.path());
    }
    std::sort(tests.begin(), tests.end());
    for (const fs::path& path : tests) add_test(list, contents(path));
    return list;
  }();
  return kAll;
}

const syntax::Grammar& grammar(const driver::Compilation& c) { return c.mode.is_hlsl() ? hlsl::grammar() : glsl::grammar(); }

/// Runs `stage(program)` on each and counts the bytes of their sources.
template <class F>
void each_program(benchmark::State& state, F stage) {
  size_t bytes = 0;
  for (const auto& p : programs()) bytes += p->bytes;
  if (bytes == 0) state.SkipWithError("run from the root of the repository");
  for (auto _ : state) {
    for (const auto& p : programs()) stage(*p);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void scan(benchmark::State& state) {
  each_program(state, [](Program& p) {
    SourceMap sources;
    Names names;
    Emitter diags;
    benchmark::DoNotOptimize(carry::scan(sources, sources.add_file("a", p.request.text), names, diags));
  });
}
void scan_and_preprocess(benchmark::State& state) {
  each_program(state, [](Program& p) {
    SourceMap sources;
    Names names;
    Emitter diags;
    const PreprocessOptions options = driver::preprocess_options(p.request);
    benchmark::DoNotOptimize(preprocess(sources, sources.add_file("a", p.request.text), names, diags, options, nullptr));
  });
}
void parse(benchmark::State& state) {
  each_program(state, [](Program& p) {
    driver::Compilation& c = *p.output.compilation;
    benchmark::DoNotOptimize(syntax::parse(c.preprocessed.tokens, c.context.names, c.sources, c.mode, grammar(c), c.diags));
  });
}
void check(benchmark::State& state) {
  each_program(state, [](Program& p) {
    driver::Compilation& c = *p.output.compilation;
    const check::Options options = driver::check_options(c, p.request);
    benchmark::DoNotOptimize(check::check({*c.tree, c.sources, c.context.names, c.context.types, c.mode, options, c.diags}));
  });
}
void lower(benchmark::State& state) {
  each_program(state, [](Program& p) {
    driver::Compilation& c = *p.output.compilation;
    benchmark::DoNotOptimize(lower::lower({c.context, *c.tree, c.facts, c.mode, p.request.lowering, c.diags}));
  });
}
void verify(benchmark::State& state) {
  each_program(state, [](Program& p) { benchmark::DoNotOptimize(ir::verify(*p.output.compilation->module, 1)); });
}
BENCHMARK(scan)->Unit(benchmark::kMicrosecond);
BENCHMARK(scan_and_preprocess)->Unit(benchmark::kMicrosecond);
BENCHMARK(parse)->Unit(benchmark::kMicrosecond);
BENCHMARK(check)->Unit(benchmark::kMicrosecond);
BENCHMARK(lower)->Unit(benchmark::kMicrosecond);
BENCHMARK(verify)->Unit(benchmark::kMicrosecond);

target::Target target_of(const char* name) {
  target::Target t;
  std::string error;
  static_cast<void>(target::find_target(name, t, error));
  return t;
}

/// The copy of the module that a target's writer gets; none where the target cannot have the program.
std::optional<ir::Module> legal(Program& p, const target::Target& t) {
  ir::Module copy = p.output.compilation->module->clone();
  const Result<bool> done = target::prepare(copy, t, 1, nullptr, {.verify = false});
  if (!done.ok() || !done.value()) return std::nullopt;
  return copy;
}

void passes(benchmark::State& state, const char* name) {
  const target::Target t = target_of(name);
  each_program(state, [&](Program& p) { benchmark::DoNotOptimize(legal(p, t)); });
}

template <class F>
void write_each(benchmark::State& state, const char* name, F write) {
  const target::Target t = target_of(name);
  std::vector<ir::Module> modules;
  size_t bytes = 0;
  for (const auto& p : programs()) {
    std::optional<ir::Module> m = legal(*p, t);
    if (!m) continue;
    bytes += p->bytes;
    modules.push_back(std::move(*m));
  }
  for (auto _ : state) {
    for (const ir::Module& m : modules) benchmark::DoNotOptimize(write(m, t));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

constexpr const char* kSpirv = "vulkan1.3";
constexpr const char* kMsl = "msl3.0";
constexpr const char* kWgsl = "wgsl+subgroups+f16";

void passes_spirv(benchmark::State& state) { passes(state, kSpirv); }
void passes_msl(benchmark::State& state) { passes(state, kMsl); }
void passes_wgsl(benchmark::State& state) { passes(state, kWgsl); }
void write_spirv(benchmark::State& state) {
  write_each(state, kSpirv, [](const ir::Module& m, const target::Target& t) {
    return write::spirv::write(m, {.version = t.version, .names = true, .debug = {}});
  });
}
void write_msl(benchmark::State& state) {
  write_each(state, kMsl,
             [](const ir::Module& m, const target::Target& t) { return write::msl::write(m, {.version = t.version}); });
}
void write_wgsl(benchmark::State& state) {
  write_each(state, kWgsl, [](const ir::Module& m, const target::Target&) {
    return write::wgsl::write(m, {.subgroups = true, .f16 = true});
  });
}
BENCHMARK(passes_spirv)->Unit(benchmark::kMicrosecond);
BENCHMARK(passes_msl)->Unit(benchmark::kMicrosecond);
BENCHMARK(passes_wgsl)->Unit(benchmark::kMicrosecond);
BENCHMARK(write_spirv)->Unit(benchmark::kMicrosecond);
BENCHMARK(write_msl)->Unit(benchmark::kMicrosecond);
BENCHMARK(write_wgsl)->Unit(benchmark::kMicrosecond);

}  // namespace
