// Text IR through each target's plan: what the verifier accepts before, it accepts after, or there is an error message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ir/text.h"
#include "ir/verify.h"
#include "target/prepare.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  carry::ir::Context context;
  carry::ir::Module module(context);
  carry::ir::ParseError error;
  if (!carry::ir::parse(text, module, error) || !carry::ir::verify(module, 1).empty()) return 0;
  const carry::pass::PassConfig config;
  if (!carry::pass::run(carry::pass::early_plan(1), module, config, nullptr, {}).ok()) abort();
  for (const char* name : {"vulkan1.2", "msl2.4", "wgsl"}) {
    carry::target::Target target;
    std::string message;
    if (!carry::target::find_target(name, target, message)) abort();
    carry::ir::Module copy = module.clone();
    if (!carry::target::prepare(copy, target, 1, nullptr).ok()) abort();
  }
  return 0;
}
