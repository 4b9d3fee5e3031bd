#include "common/pipeline.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "diag/render.h"

#ifdef CARRY_HAS_SPIRV_TOOLS
#include <spirv-tools/libspirv.h>
#endif

namespace carry::fuzz {

driver::Request request(SourceLanguage language, std::string source, driver::Optimisation level) {
  driver::Request r;
  r.name = language == SourceLanguage::hlsl ? "fuzz.hlsl" : "fuzz.comp";
  r.text = std::make_shared<const std::string>(std::move(source));
  r.language = language;
  r.stage = Stage::compute;
  r.optimisation = level;
  for (const char* name : {"vulkan1.2", "msl2.4", "wgsl"}) add_target(r, name);
  return r;
}

void add_target(driver::Request& r, const char* name) {
  target::Target t;
  std::string error;
  if (!target::find_target(name, t, error)) std::abort();
  r.targets.push_back(std::move(t));
}

std::string messages(const driver::Output& output) {
  TextSink sink;
  render_all(output.compilation->diags, output.compilation->sources, {}, sink);
  std::string text = sink.text();
  if (output.bug) text += output.bug->stage + " " + output.bug->pass + ": " + output.bug->message + "\n";
  return text;
}

void must(bool holds, const char* what, const std::string& details, const std::string& source) {
  if (holds) return;
  std::fprintf(stderr, "%s\n==== FINDING: %s\n%s\n", source.c_str(), what, details.c_str());
  std::abort();
}

namespace {

#ifdef CARRY_HAS_SPIRV_TOOLS
spv_target_env environment(const target::Target& target) {
  switch (target.vulkan) {
    case 100: return SPV_ENV_VULKAN_1_0;
    case 101: return SPV_ENV_VULKAN_1_1;
    case 102: return SPV_ENV_VULKAN_1_2;
    case 103: return SPV_ENV_VULKAN_1_3;
    default: return SPV_ENV_UNIVERSAL_1_6;
  }
}

std::string spirv_fault(const driver::TargetOutput& out) {
  std::vector<uint32_t> words(out.bytes.size() / 4);
  std::memcpy(words.data(), out.bytes.data(), words.size() * 4);
  spv_context context = spvContextCreate(environment(out.target));
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result = spvValidate(context, &binary, &diagnostic);
  std::string text;
  if (result != SPV_SUCCESS) text = diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : "refused";
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return text;
}
#else
std::string spirv_fault(const driver::TargetOutput&) { return {}; }
#endif

}  // namespace

void check_output(const driver::Output& output, const std::string& source) {
  must(!output.bug, "a fault of the compiler", messages(output), source);
  must(output.ok || output.compilation->diags.has_errors(), "refused without an error", messages(output), source);
  for (const driver::TargetOutput& t : output.targets) {
    if (!t.ok) continue;
    must(!t.bytes.empty(), "an accepted source without output", t.target.name, source);
    if (t.target.family != target::Family::spirv) continue;
    const std::string fault = spirv_fault(t);
    must(fault.empty(), "SPIRV-Tools refuses the output", fault, source);
  }
}

}  // namespace carry::fuzz
