// IR text: parse, verify, then run every entry with small limits, plainly and shuffled with all checks. The executor must
// neither crash nor hang on what the verifier lets through.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/resources.h"
#include "exec/executor.h"
#include "ir/text.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carry;
  ir::Context context;
  ir::Module module(context);
  ir::ParseError error;
  if (!ir::parse(std::string_view(reinterpret_cast<const char*>(data), size), module, error)) return 0;
  if (!ir::verify(module, 1).empty()) return 0;
  for (const ir::FunctionId f : module.function_order) {
    if (!module.functions[f].is_entry) continue;
    for (const bool checked : {false, true}) {
      exec::ExecOptions options;
      options.max_steps = 20'000;
      options.max_memory = uint64_t{1} << 25;
      options.order = checked ? exec::LaneOrder::shuffle : exec::LaneOrder::forward;
      options.check = checked ? uint32_t{exec::kCheckDefault} : 0u;
      exec::Resources resources;
      fuzz::give_resources(module, f, resources);
      static_cast<void>(exec::run(module, f, options, resources));
    }
  }
  return 0;
}
