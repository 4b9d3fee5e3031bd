#include "common/resources.h"

namespace carry::fuzz {

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

}  // namespace carry::fuzz
