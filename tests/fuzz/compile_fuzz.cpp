// Any source through everything: front end, lowering, passes and writers of targets old and new; what is accepted must have
// output, SPIR-V must be valid, and the executor must neither crash nor hang on it. GLSL if there is a #version, else HLSL. Test
// files serve as seeds: their first source counts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/pipeline.h"
#include "common/resources.h"

namespace {

using namespace carry;

std::string_view source_of(std::string_view text) {
  const size_t section = text.find("--- source");
  if (section == std::string_view::npos) return text;
  const size_t line = text.find('\n', section);
  if (line == std::string_view::npos) return text;
  return text.substr(line + 1, text.find("\n--- ", line) - line);
}

void execute(const ir::Module& module, uint32_t lanes_seed) {
  for (const ir::FunctionId f : module.function_order) {
    const ir::Function& function = module.functions[f];
    if (!function.is_entry || function.dead || function.entry.stage != Stage::compute) continue;
    exec::ExecOptions options;
    options.max_steps = 20'000;
    options.max_memory = uint64_t{1} << 25;
    options.order = lanes_seed % 2 != 0 ? exec::LaneOrder::shuffle : exec::LaneOrder::forward;
    options.check = lanes_seed % 4 == 3 ? uint32_t{exec::kCheckDefault} : 0u;
    exec::Resources resources;
    fuzz::give_resources(module, f, resources);
    static_cast<void>(exec::run(module, f, options, resources));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string source(source_of(all));
  const bool glsl = all.find("#version") != std::string_view::npos;
  uint32_t hash = 2166136261u;
  for (const char c : source) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  const auto level = static_cast<driver::Optimisation>(hash >> 8 & 3);
  driver::Request request = fuzz::request(glsl ? SourceLanguage::glsl : SourceLanguage::hlsl, source, level);
  if (all.find("gl_Position") != std::string_view::npos) request.stage = Stage::vertex;
  if (all.find(" frag") != std::string_view::npos && glsl) request.stage = Stage::fragment;
  request.native_16bit = (hash >> 10 & 1) != 0;
  for (const char* name : {"vulkan1.0", "vulkan1.3", "msl3.2", "wgsl+f16+subgroups"}) fuzz::add_target(request, name);
  const driver::Output output = driver::compile({}, request);
  fuzz::check_output(output, source);
  if (output.compilation->module && !output.compilation->diags.has_errors()) execute(*output.compilation->module, hash >> 12);
  for (const driver::TargetOutput& t : output.targets) {
    if (t.ok && hash % output.targets.size() == static_cast<size_t>(&t - output.targets.data())) execute(*t.module, hash >> 12);
  }
  return 0;
}
