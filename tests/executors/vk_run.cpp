// Runs SPIR-V on the Vulkan device that VK_ICD_FILENAMES names (lavapipe).
//   vk_run JOB... | vk_run -f jobs.txt | vk_run --features       job grammar and output: see gpu_run.mjs
// SHADER is a .spv (two for drawing: VERTEX,FRAGMENT, or one with both); -s and -r are both storage buffers; -p is push
// constants; -c ID=VALUE a 32-bit specialization constant (7, -7, 1.5f, true). Drawing has y up, as in WebGPU.
// Validate with spirv-val first: drivers may crash on invalid modules. Jobs run in a child process; one that crashes or
// passes VK_RUN_TIMEOUT seconds (20) is reported with stage "crash" and a new child does the rest.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <deque>

#include "vk_device.h"
#include "vk_job.h"

namespace {

constexpr VkImageSubresourceRange kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
constexpr VkShaderStageFlags kAllStages =
    VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

struct Format {
  const char* name;
  VkFormat format;
  uint32_t bytes;
};
constexpr Format kFormats[] = {{"r32ui", VK_FORMAT_R32_UINT, 4},
                               {"r32i", VK_FORMAT_R32_SINT, 4},
                               {"r32f", VK_FORMAT_R32_SFLOAT, 4},
                               {"rgba32ui", VK_FORMAT_R32G32B32A32_UINT, 16},
                               {"rgba32i", VK_FORMAT_R32G32B32A32_SINT, 16},
                               {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 16},
                               {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, 8},
                               {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4}};

Format format_of(const Resource& resource) {
  if (resource.kind != 'i') return {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4};
  for (const Format& f : kFormats) {
    if (resource.format == f.name) return f;
  }
  throw std::runtime_error("unknown image format " + resource.format);
}

VkDescriptorType descriptor_type(char kind) {
  switch (kind) {
    case 'u': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case 't': return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case 'm': return VK_DESCRIPTOR_TYPE_SAMPLER;
    case 'x': return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case 'i': return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    default: return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
}

// A buffer or image with host-visible memory, mapped.
struct Memory {
  VkBuffer buffer{};
  VkImage image{};
  VkImageView view{};
  VkSampler sampler{};
  VkDeviceMemory memory{};
  unsigned char* map{};
  VkSubresourceLayout rows{};
};

// One job from the shader files to the text of its result. Everything it makes is left to the end of the process or
// the next `Runner`; the driver is a software one and jobs are small.
class Runner {
 public:
  Runner(const Device& device, Job& job) : device_(device), job_(job) {}

  /// The JSON members of the result. `stage` says how far it came.
  std::string run(std::string& stage) {
    load_modules();
    if (!job_.run && !job_.draw) return "";
    stage = "pipeline";
    make_layouts();
    make_pipeline();
    stage = "run";
    make_resources();
    record_and_submit();
    const std::string out = read_back();
    release();
    return out;
  }

 private:
  void load_modules() {
    for (const std::string& path : job_.shaders) {
      const Bytes code = read_file(path);
      if (code.size() < 20 || code.size() % 4 != 0) throw std::runtime_error("not a SPIR-V module");
      VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
      info.codeSize = code.size();
      info.pCode = reinterpret_cast<const uint32_t*>(code.data());
      VkShaderModule module;
      check(vkCreateShaderModule(device_.handle, &info, nullptr, &module), "vkCreateShaderModule");
      modules_.push_back(module);
    }
  }

  void make_layouts() {
    uint32_t sets = 0;
    for (const Resource& r : job_.resources) sets = std::max(sets, r.set + 1);
    set_layouts_.resize(sets);
    for (uint32_t set = 0; set < sets; ++set) {
      std::vector<VkDescriptorSetLayoutBinding> bindings;
      for (const Resource& r : job_.resources) {
        if (r.set == set) bindings.push_back({r.binding, descriptor_type(r.kind), 1, kAllStages, nullptr});
      }
      VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      info.bindingCount = static_cast<uint32_t>(bindings.size());
      info.pBindings = bindings.data();
      check(vkCreateDescriptorSetLayout(device_.handle, &info, nullptr, &set_layouts_[set]), "set layout");
    }
    const VkPushConstantRange push{kAllStages, 0, static_cast<uint32_t>(job_.push.size())};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = sets;
    info.pSetLayouts = set_layouts_.data();
    info.pushConstantRangeCount = job_.push.empty() ? 0 : 1;
    info.pPushConstantRanges = &push;
    check(vkCreatePipelineLayout(device_.handle, &info, nullptr, &layout_), "vkCreatePipelineLayout");
  }

  VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, size_t index) {
    const std::string& entry = index < job_.entries.size() ? job_.entries[index] : default_entry_;
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = stage;
    info.module = modules_[std::min(index, modules_.size() - 1)];
    info.pName = entry.c_str();
    info.pSpecializationInfo = &specialization_;
    return info;
  }

  void make_pipeline() {
    for (const auto& [id, word] : job_.constants) {
      constant_entries_.push_back({id, static_cast<uint32_t>(constant_words_.size() * 4), 4});
      constant_words_.push_back(word);
    }
    specialization_ = {static_cast<uint32_t>(constant_entries_.size()), constant_entries_.data(), constant_words_.size() * 4,
                       constant_words_.data()};
    if (job_.draw) return make_render_pipeline();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, 0);
    info.layout = layout_;
    check(vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), "compute pipeline");
  }

  void make_render_pipeline() {
    const VkPipelineShaderStageCreateInfo stages[2] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, 0),
                                                       stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, 1)};
    const VkFormat formats[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT,
                                VK_FORMAT_R32G32B32A32_SFLOAT};
    std::vector<VkVertexInputBindingDescription> bindings;
    std::vector<VkVertexInputAttributeDescription> attributes;
    for (const VertexAttribute& a : job_.attributes) {
      const auto binding = static_cast<uint32_t>(bindings.size());
      bindings.push_back({binding, a.components * 4, VK_VERTEX_INPUT_RATE_VERTEX});
      attributes.push_back({a.location, binding, formats[std::min(a.components, 4u)], 0});
    }
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = static_cast<uint32_t>(bindings.size());
    input.pVertexBindingDescriptions = bindings.data();
    input.pVertexAttributeDescriptions = attributes.data();
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const auto width = static_cast<float>(job_.width), height = static_cast<float>(job_.height);
    const VkViewport viewport{0, height, width, -height, 0, 1};
    const VkRect2D scissor{{0, 0}, {job_.width, job_.height}};
    const VkPipelineViewportStateCreateInfo view{
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &formats[4];
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = layout_;
    check(vkCreateGraphicsPipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), "render pipeline");
  }

  Memory make_buffer(const Bytes& data, VkBufferUsageFlags usage, size_t size) {
    Memory out;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<size_t>(16, size);
    info.usage = usage;
    check(vkCreateBuffer(device_.handle, &info, nullptr, &out.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_.handle, out.buffer, &needs);
    out.memory = device_.allocate(needs);
    check(vkBindBufferMemory(device_.handle, out.buffer, out.memory, 0), "vkBindBufferMemory");
    map(out);
    std::memcpy(out.map, data.data(), data.size());
    return out;
  }

  void map(Memory& m) {
    void* address = nullptr;
    check(vkMapMemory(device_.handle, m.memory, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
    m.map = static_cast<unsigned char*>(address);
  }

  Memory make_image(uint32_t width, uint32_t height, VkFormat format, VkImageUsageFlags usage, VkImageTiling tiling) {
    Memory out;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {width, height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = tiling;
    info.usage = usage;
    info.initialLayout = tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
    check(vkCreateImage(device_.handle, &info, nullptr, &out.image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device_.handle, out.image, &needs);
    out.memory = device_.allocate(needs);
    check(vkBindImageMemory(device_.handle, out.image, out.memory, 0), "vkBindImageMemory");
    if (tiling == VK_IMAGE_TILING_LINEAR) {
      const VkImageSubresource part{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
      vkGetImageSubresourceLayout(device_.handle, out.image, &part, &out.rows);
      map(out);
    }
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = out.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = kColor;
    check(vkCreateImageView(device_.handle, &view, nullptr, &out.view), "vkCreateImageView");
    return out;
  }

  // Textures and storage images have linear rows that the host writes and reads.
  Memory make_filled_image(const Resource& r) {
    const Format format = format_of(r);
    const VkImageUsageFlags usage = r.kind == 'i' ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
    Memory out = make_image(r.width, r.height, format.format, usage, VK_IMAGE_TILING_LINEAR);
    const size_t row = size_t{r.width} * format.bytes;
    for (size_t y = 0; y < r.height && (y + 1) * row <= r.data.size(); ++y)
      std::memcpy(out.map + out.rows.offset + y * out.rows.rowPitch, r.data.data() + y * row, row);
    return out;
  }

  VkSampler make_sampler(bool linear) {
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.magFilter = info.minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    VkSampler out;
    check(vkCreateSampler(device_.handle, &info, nullptr, &out), "vkCreateSampler");
    return out;
  }

  void make_resources() {
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 16},  {VK_DESCRIPTOR_TYPE_SAMPLER, 16},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 16},  {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 16}};
    const auto count = static_cast<uint32_t>(set_layouts_.size());
    const VkDescriptorPoolCreateInfo pool_info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, std::max(1u, count), 6, sizes};
    check(vkCreateDescriptorPool(device_.handle, &pool_info, nullptr, &pool_), "vkCreateDescriptorPool");
    sets_.resize(count);
    const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool_, count,
                                           set_layouts_.data()};
    if (count > 0) check(vkAllocateDescriptorSets(device_.handle, &info, sets_.data()), "vkAllocateDescriptorSets");
    for (const Resource& r : job_.resources) bind(r);
    for (const VertexAttribute& a : job_.attributes)
      vertex_buffers_.push_back(make_buffer(a.data, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, a.data.size()));
    if (job_.draw) {
      target_ = make_image(job_.width, job_.height, VK_FORMAT_R32G32B32A32_SFLOAT,
                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_TILING_OPTIMAL);
      pixels_ = make_buffer({}, VK_BUFFER_USAGE_TRANSFER_DST_BIT, size_t{16} * job_.width * job_.height);
    }
  }

  void bind(const Resource& r) {
    Memory m;
    const bool image = r.kind == 't' || r.kind == 'x' || r.kind == 'i';
    if (image) m = make_filled_image(r);
    if (r.kind == 'm' || r.kind == 'x') m.sampler = make_sampler(r.linear);
    if (!image && r.kind != 'm')
      m = make_buffer(r.data, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, r.data.size());
    const VkDescriptorImageInfo image_info{m.sampler, m.view, VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorBufferInfo buffer_info{m.buffer, 0, std::max<size_t>(4, r.data.size())};
    const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     nullptr,
                                     sets_[r.set],
                                     r.binding,
                                     0,
                                     1,
                                     descriptor_type(r.kind),
                                     &image_info,
                                     &buffer_info,
                                     nullptr};
    vkUpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
    memories_.push_back(m);
  }

  void transition(VkImage image, VkImageLayout from, VkImageLayout to) {
    const VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       nullptr,
                                       VK_ACCESS_MEMORY_WRITE_BIT,
                                       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                       from,
                                       to,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       image,
                                       kColor};
    vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
  }

  void record_draw() {
    transition(target_.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    VkRenderingAttachmentInfo colour{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    colour.imageView = target_.view;
    colour.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {job_.width, job_.height};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &colour;
    vkCmdBeginRendering(commands_, &info);
    for (uint32_t i = 0; i < vertex_buffers_.size(); ++i) {
      const VkDeviceSize start = 0;
      vkCmdBindVertexBuffers(commands_, i, 1, &vertex_buffers_[i].buffer, &start);
    }
    vkCmdDraw(commands_, job_.vertices, 1, 0, 0);
    vkCmdEndRendering(commands_);
    transition(target_.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {job_.width, job_.height, 1}};
    vkCmdCopyImageToBuffer(commands_, target_.image, VK_IMAGE_LAYOUT_GENERAL, pixels_.buffer, 1, &region);
  }

  void record_and_submit() {
    const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, device_.pool,
                                               VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    check(vkAllocateCommandBuffers(device_.handle, &allocate, &commands_), "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
    for (const Memory& m : memories_) {
      if (m.image != VK_NULL_HANDLE) transition(m.image, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_GENERAL);
    }
    const VkPipelineBindPoint point = job_.draw ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(commands_, point, pipeline_);
    if (!sets_.empty())
      vkCmdBindDescriptorSets(commands_, point, layout_, 0, static_cast<uint32_t>(sets_.size()), sets_.data(), 0, nullptr);
    if (!job_.push.empty())
      vkCmdPushConstants(commands_, layout_, kAllStages, 0, static_cast<uint32_t>(job_.push.size()), job_.push.data());
    if (job_.draw) {
      record_draw();
    } else {
      vkCmdDispatch(commands_, job_.groups[0], job_.groups[1], job_.groups[2]);
    }
    const VkMemoryBarrier done{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &done, 0, nullptr, 0,
                         nullptr);
    check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    check(vkQueueSubmit(device_.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(device_.queue), "vkQueueWaitIdle");
  }

  static void append_hex(std::string& out, const unsigned char* data, size_t size) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; ++i) {
      out += kDigits[data[i] >> 4];
      out += kDigits[data[i] & 15];
    }
  }

  std::string read_back() {
    std::string out = ",\"out\":{";
    const char* separator = "";
    for (size_t i = 0; i < job_.resources.size(); ++i) {
      const Resource& r = job_.resources[i];
      if (r.kind != 's' && r.kind != 'i') continue;
      out += separator + ("\"" + std::to_string(r.set) + ":" + std::to_string(r.binding)) + "\":\"";
      const Memory& m = memories_[i];
      if (r.kind == 's') append_hex(out, m.map, r.data.size());
      for (size_t y = 0; r.kind == 'i' && y < r.height; ++y)
        append_hex(out, m.map + m.rows.offset + y * m.rows.rowPitch, size_t{r.width} * format_of(r).bytes);
      out += "\"";
      separator = ",";
    }
    if (job_.draw) {
      out += separator + std::string("\"pixels\":\"");
      append_hex(out, pixels_.map, size_t{16} * job_.width * job_.height);
      out += "\"";
    }
    return out + "}";
  }

  void release() {
    memories_.insert(memories_.end(), vertex_buffers_.begin(), vertex_buffers_.end());
    memories_.push_back(target_);
    memories_.push_back(pixels_);
    for (const Memory& m : memories_) {
      vkDestroyBuffer(device_.handle, m.buffer, nullptr);
      vkDestroyImageView(device_.handle, m.view, nullptr);
      vkDestroyImage(device_.handle, m.image, nullptr);
      vkDestroySampler(device_.handle, m.sampler, nullptr);
      vkFreeMemory(device_.handle, m.memory, nullptr);
    }
    vkFreeCommandBuffers(device_.handle, device_.pool, 1, &commands_);
    vkDestroyDescriptorPool(device_.handle, pool_, nullptr);
    vkDestroyPipeline(device_.handle, pipeline_, nullptr);
    vkDestroyPipelineLayout(device_.handle, layout_, nullptr);
    for (VkDescriptorSetLayout l : set_layouts_) vkDestroyDescriptorSetLayout(device_.handle, l, nullptr);
    for (VkShaderModule m : modules_) vkDestroyShaderModule(device_.handle, m, nullptr);
  }

  const Device& device_;
  Job& job_;
  const std::string default_entry_ = "main";
  std::vector<VkShaderModule> modules_;
  std::vector<VkDescriptorSetLayout> set_layouts_;
  std::vector<VkDescriptorSet> sets_;
  std::vector<VkSpecializationMapEntry> constant_entries_;
  std::vector<uint32_t> constant_words_;
  VkSpecializationInfo specialization_{};
  VkPipelineLayout layout_{};
  VkPipeline pipeline_{};
  VkDescriptorPool pool_{};
  VkCommandBuffer commands_{};
  std::vector<Memory> memories_, vertex_buffers_;  // memories_: one per resource of the job
  Memory target_, pixels_;
};

// Shared between the parent and the children that do the work.
struct Progress {
  size_t next;
  int bad;
};

[[noreturn]] void do_jobs(const std::vector<std::string>& lines, Progress& progress, unsigned limit) {
  Device device;  // Vulkan is first touched in the child
  try {
    device.open();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vk_run: no adapter: %s\n", e.what());
    _exit(3);
  }
  for (; progress.next < lines.size(); ++progress.next) {
    std::string stage = "compile", members;
    bool ok = true;
    Job job;
    alarm(limit);
    try {
      job = parse_job(lines[progress.next]);
      members = Runner(device, job).run(stage);
    } catch (const std::exception& e) {
      ok = false;
      ++progress.bad;
      members = ",\"error\":" + quote(e.what());
    }
    std::printf("{\"shader\":%s,\"ok\":%s,\"stage\":\"%s\"%s}\n", quote(job.name).c_str(), ok ? "true" : "false", stage.c_str(),
                members.c_str());
    std::fflush(stdout);
  }
  _exit(0);
}

std::vector<std::string> read_jobs(int argc, char** argv) {
  std::vector<std::string> lines(argv + 1, argv + argc);
  if (lines.size() == 2 && lines[0] == "-f") {
    std::ifstream in(lines[1]);
    lines.clear();
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line[0] != '#') lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> lines = read_jobs(argc, argv);
  if (!lines.empty() && lines[0] == "--features") {
    Device device;
    device.open();
    device.print();
    return 0;
  }
  const char* limit_text = std::getenv("VK_RUN_TIMEOUT");
  const auto limit = static_cast<unsigned>(limit_text != nullptr ? std::atoi(limit_text) : 20);
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& progress = *static_cast<Progress*>(shared);
  while (progress.next < lines.size()) {
    std::fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) do_jobs(lines, progress, limit);
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) {
      const std::string name = lines[progress.next].substr(0, lines[progress.next].find(' '));
      std::printf("{\"shader\":%s,\"ok\":false,\"stage\":\"crash\",\"error\":\"%s\"}\n", quote(name).c_str(),
                  WTERMSIG(status) == SIGALRM ? "time limit" : strsignal(WTERMSIG(status)));
      ++progress.next;
      ++progress.bad;
    }
  }
  return progress.bad != 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "vk_run: %s\n", e.what());
  return 3;
}
