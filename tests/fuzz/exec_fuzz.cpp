// IR text: parse, verify, then run every entry with small limits, plainly and shuffled with all checks. The executor must
// neither crash nor hang on what the verifier lets through.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "exec/executor.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace {

using namespace carry;

void give_resources(const ir::Module& module, ir::FunctionId entry, exec::Resources& resources) {
  for (const exec::ResourceNeed& need : exec::resource_needs(module, entry)) {
    if (need.space == Space::push) {
      resources.push.assign(256, 3);
    } else if (need.space == Space::handle) {
      exec::Image image;
      image.set = need.set;
      image.binding = need.binding;
      image.width = image.height = 4;
      image.layers = 6;
      image.mips = 2;
      const Type& t = module.types()[need.type];
      image.scalar = t.kind == TypeKind::combined ? module.types()[t.element].scalar : t.scalar;
      image.words.assign(image.word_count(), 0x3f000000u);
      resources.images.push_back(image);
      exec::Sampler sampler;
      sampler.set = need.set;
      sampler.binding = need.binding;
      resources.samplers.push_back(sampler);
    } else {
      exec::Buffer buffer;
      buffer.set = need.set;
      buffer.binding = need.binding;
      buffer.bytes.assign(need.fixed_size + uint64_t{need.runtime_stride} * 5 > 4096
                              ? 4096
                              : need.fixed_size + uint64_t{need.runtime_stride} * 5,
                          1);
      resources.buffers.push_back(buffer);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
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
      give_resources(module, f, resources);
      static_cast<void>(exec::run(module, f, options, resources));
    }
  }
  return 0;
}
