// Generated shaders (gen/shader.h) through everything: each must be accepted in both languages, pass the outside validator, and
// leave the same words in the executor as lowered, after the early passes, and after each target's passes at every level.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/pipeline.h"
#include "exec/executor.h"
#include "gen/shader.h"

namespace {

using namespace carry;

constexpr uint32_t kGroups = 2;

exec::Resources resources() {
  const auto buffer = [](uint32_t binding, uint32_t words, bool random) {
    exec::Buffer b;
    b.set = 0;
    b.binding = binding;
    b.bytes.resize(size_t{words} * 4);
    uint32_t state = 1;
    for (uint8_t& byte : b.bytes) {
      state = state * 1664525u + 1013904223u;
      if (random) byte = static_cast<uint8_t>(state >> 24);
    }
    return b;
  };
  exec::Resources r;
  const uint32_t lanes = gen::kGroupLanes * kGroups;
  r.buffers = {buffer(0, gen::kSourceWords, true), buffer(1, lanes * gen::kResultWords, false),
               buffer(2, lanes * gen::kItemBytes / 4, false)};
  return r;
}

ir::FunctionId entry(const ir::Module& module) {
  for (const ir::FunctionId f : module.function_order) {
    if (module.functions[f].is_entry && !module.functions[f].dead) return f;
  }
  return ir::FunctionId::none();
}

/// What a module leaves: results and items in one, or the fault's text behind a byte 0.
std::string run(const ir::Module& module, exec::LaneOrder order) {
  exec::ExecOptions options;
  options.groups = {kGroups, 1, 1};
  options.max_steps = 4'000'000;
  options.order = order;
  exec::Resources r = resources();
  const exec::ExecResult result = exec::run(module, entry(module), options, r);
  if (!result.ok) return std::string(1, '\0') + result.fault.message;
  std::string bytes;
  for (size_t i = 1; i < r.buffers.size(); ++i) bytes.append(r.buffers[i].bytes.begin(), r.buffers[i].bytes.end());
  return bytes;
}

std::string difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  if (b.size() != a.size()) return b.size() > 1 && b[0] == 0 ? b.substr(1) : "the first run had a fault: " + a.substr(1);
  size_t at = 0;
  while (at < a.size() && a[at] == b[at]) ++at;
  const size_t word = at / 4;
  const size_t results = size_t{gen::kGroupLanes} * kGroups * gen::kResultWords;
  const auto hex = [&](const std::string& s) {
    char text[16];
    uint32_t v = 0;
    for (size_t i = 0; i < 4; ++i) v |= uint32_t{static_cast<uint8_t>(s[word * 4 + i])} << (8 * i);
    std::snprintf(text, sizeof text, "%08x", v);
    return std::string(text);
  };
  return (word < results ? "result[" + std::to_string(word) : "items, word [" + std::to_string(word - results)) +
         "]: " + hex(a) + " became " + hex(b);
}

void run_everywhere(SourceLanguage language, const std::string& source) {
  std::string reference;
  for (const driver::Optimisation level : {driver::Optimisation::o0, driver::Optimisation::o1, driver::Optimisation::o2}) {
    const driver::Output output = driver::compile({}, fuzz::request(language, source, level));
    fuzz::check_output(output, source);
    fuzz::must(output.ok, "a valid shader is refused", fuzz::messages(output), source);
    const std::string at = " at -O" + std::to_string(static_cast<int>(level));
    const std::string words = run(*output.compilation->module, exec::LaneOrder::forward);
    if (reference.empty()) {
      reference = words;
      const std::string reverse = run(*output.compilation->module, exec::LaneOrder::reverse);
      fuzz::must(reverse == reference, "the order of lanes shows", difference(reference, reverse), source);
    }
    fuzz::must(words == reference, "the early passes change results", difference(reference, words) + at, source);
    for (const driver::TargetOutput& t : output.targets) {
      const std::string after = run(*t.module, exec::LaneOrder::forward);
      fuzz::must(after == reference, "passes change results", difference(reference, after) + ": " + t.target.name + at, source);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gen::ShaderOptions options;
  if (size > 0) {
    options.hlsl = (data[0] & 1) != 0;
    options.floats = (data[0] & 6) != 0;
  }
  gen::Choices choices(data, size);
  static_cast<void>(choices.below(2));
  run_everywhere(options.hlsl ? SourceLanguage::hlsl : SourceLanguage::glsl, gen::generate_shader(choices, options));
  return 0;
}
