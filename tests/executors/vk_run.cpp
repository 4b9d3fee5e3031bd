// Runs SPIR-V compute shaders on the Vulkan device that VK_ICD_FILENAMES names (lavapipe).
//   vk_run JOB... | vk_run -f jobs.txt | vk_run --features       job grammar and output: see gpu_run.mjs
//   SHADER is a .spv; -s and -r are both storage buffers, -s is read back; -t and -m are a separate texture and
//   sampler; -p is push constants; -c ID=VALUE is a 32-bit specialization constant (VALUE: 7, -7, 1.5f, true).
// Validate with spirv-val first: drivers may crash on invalid modules. Jobs run in a child process; one that
// crashes or passes VK_RUN_TIMEOUT seconds (20) is reported with stage "crash" and a new child does the rest.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<unsigned char>;
static void ck(VkResult r, const char* what) {
  if (r != VK_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(r));
}
static Bytes slurp(const std::string& f) {
  std::ifstream in(f, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + f);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}
static Bytes initBytes(const std::string& s) {
  if (s[0] == '@') return slurp(s.substr(1));
  auto c = s.find(':');
  std::string k = s.substr(0, c), v = s.substr(c + 1), x;
  if (k == "zero") return Bytes(std::stoul(v));
  Bytes b;
  if (k == "h") {
    for (size_t i = 0; i + 1 < v.size(); i += 2) b.push_back((unsigned char)std::stoul(v.substr(i, 2), nullptr, 16));
    return b;
  }
  for (std::istringstream ss(v); std::getline(ss, x, ',');) {
    unsigned char w[4];
    if (k == "f") {
      float f = std::stof(x);
      memcpy(w, &f, 4);
    } else {
      uint32_t u = (uint32_t)std::stoll(x);
      memcpy(w, &u, 4);
    }
    b.insert(b.end(), w, w + 4);
  }
  return b;
}
struct Buf {
  char kind;
  uint32_t set, binding;
  Bytes data;
  uint32_t width = 0, height = 0;
  bool linear = false;
  VkBuffer buf{};
  VkImage image{};
  VkImageView view{};
  VkSampler sampler{};
  VkDeviceMemory mem{};
  void* map{};
};
struct Job {
  std::string shader, entry = "main";
  bool run = false;
  uint32_t d[3] = {1, 1, 1};
  std::vector<Buf> bufs;
  Bytes push;
  std::map<uint32_t, uint32_t> spec;
};
static Job parse(const std::string& line) {
  std::istringstream in(line);
  Job j;
  std::string o, v;
  in >> j.shader;
  while (in >> o >> v) {
    if (o == "-e")
      j.entry = v;
    else if (o == "-d") {
      j.run = true;
      sscanf(v.c_str(), "%u,%u,%u", &j.d[0], &j.d[1], &j.d[2]);
    } else if (o == "-p")
      j.push = initBytes(v);
    else if (o == "-c") {
      auto e = v.find('=');
      std::string x = v.substr(e + 1);
      uint32_t w;
      if (x == "true" || x == "false")
        w = x == "true";
      else if (x.back() == 'f' || x.find('.') != std::string::npos) {
        float f = std::stof(x);
        memcpy(&w, &f, 4);
      } else
        w = (uint32_t)std::stoll(x);
      j.spec[(uint32_t)std::stoul(v)] = w;
    } else {
      Buf b;
      b.kind = o.at(1);
      auto e = v.find('=');
      sscanf(v.c_str(), "%u:%u", &b.set, &b.binding);
      if (b.kind == 't') {
        sscanf(v.c_str() + e + 1, "%ux%u", &b.width, &b.height);
        e = v.find(':', e);
      }
      if (b.kind == 'm')
        b.linear = v.substr(e + 1) == "linear";
      else
        b.data = initBytes(v.substr(e + 1));
      j.bufs.push_back(std::move(b));
    }
  }
  return j;
}
static std::string quote(const std::string& s) {
  std::string r = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') r += '\\';
    if ((unsigned char)c < 32) {
      char t[8];
      snprintf(t, 8, "\\u%04x", c);
      r += t;
    } else
      r += c;
  }
  return r + "\"";
}

static VkInstance inst;
static VkPhysicalDevice phys;
static VkDevice dev;
static VkQueue queue;
static VkCommandPool pool;
static VkPhysicalDeviceMemoryProperties memProps;
static uint32_t family;

// All features that the driver has are switched on: the query's answer is passed back at device creation.
template <class T>
static T* link(VkPhysicalDeviceFeatures2& f, VkStructureType t) {
  T* x = new T{};
  x->sType = t;
  x->pNext = f.pNext;
  f.pNext = x;
  return x;
}
static void open(bool print) {
  VkApplicationInfo ai{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  ai.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo ici{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  ici.pApplicationInfo = &ai;
  ck(vkCreateInstance(&ici, nullptr, &inst), "vkCreateInstance");
  uint32_t n = 1;
  if (vkEnumeratePhysicalDevices(inst, &n, &phys) < 0 || n == 0) throw std::runtime_error("no Vulkan device");
  vkGetPhysicalDeviceMemoryProperties(phys, &memProps);
  vkEnumerateDeviceExtensionProperties(phys, nullptr, &n, nullptr);
  std::vector<VkExtensionProperties> ex(n);
  vkEnumerateDeviceExtensionProperties(phys, nullptr, &n, ex.data());
  auto has = [&](const char* s) {
    for (auto& e : ex)
      if (!strcmp(e.extensionName, s)) return true;
    return false;
  };
  std::vector<const char*> on;
  VkPhysicalDeviceFeatures2 f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  auto* v11 = link<VkPhysicalDeviceVulkan11Features>(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  auto* v12 = link<VkPhysicalDeviceVulkan12Features>(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto* v13 = link<VkPhysicalDeviceVulkan13Features>(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT* af = nullptr;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT* af2 = nullptr;
  if (has("VK_EXT_shader_atomic_float")) {
    on.push_back("VK_EXT_shader_atomic_float");
    af = link<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT>(
        f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
  }
  if (has("VK_EXT_shader_atomic_float2")) {
    on.push_back("VK_EXT_shader_atomic_float2");
    af2 = link<VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT>(
        f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
  }
  if (has("VK_EXT_shader_image_atomic_int64")) {
    on.push_back("VK_EXT_shader_image_atomic_int64");
    link<VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT>(
        f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT);
  }
  if (has("VK_KHR_shader_clock")) {
    on.push_back("VK_KHR_shader_clock");
    link<VkPhysicalDeviceShaderClockFeaturesKHR>(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
  }
  vkGetPhysicalDeviceFeatures2(phys, &f);
  vkGetPhysicalDeviceQueueFamilyProperties(phys, &n, nullptr);
  std::vector<VkQueueFamilyProperties> q(n);
  vkGetPhysicalDeviceQueueFamilyProperties(phys, &n, q.data());
  for (family = 0; family < n && !(q[family].queueFlags & VK_QUEUE_COMPUTE_BIT);) family++;
  float prio = 1;
  VkDeviceQueueCreateInfo qi{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  qi.queueFamilyIndex = family;
  qi.queueCount = 1;
  qi.pQueuePriorities = &prio;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.pNext = &f;
  di.queueCreateInfoCount = 1;
  di.pQueueCreateInfos = &qi;
  di.enabledExtensionCount = (uint32_t)on.size();
  di.ppEnabledExtensionNames = on.data();
  ck(vkCreateDevice(phys, &di, nullptr, &dev), "vkCreateDevice");
  vkGetDeviceQueue(dev, family, 0, &queue);
  VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pi.queueFamilyIndex = family;
  ck(vkCreateCommandPool(dev, &pi, nullptr, &pool), "vkCreateCommandPool");
  if (!print) return;
  VkPhysicalDeviceSubgroupProperties sg{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceDriverProperties dp{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &sg};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &dp};
  vkGetPhysicalDeviceProperties2(phys, &p);
  uint32_t a = p.properties.apiVersion;
  printf("{\"device\":%s,\"driver\":%s,\"vulkan\":\"%u.%u.%u\",\"subgroupSize\":%u,\"subgroupOps\":\"0x%x\"",
         quote(p.properties.deviceName).c_str(), quote(dp.driverInfo).c_str(), VK_VERSION_MAJOR(a), VK_VERSION_MINOR(a),
         VK_VERSION_PATCH(a), sg.subgroupSize, sg.supportedOperations);
#define P(x) printf(",\"%s\":%d", strchr(#x, '>') + 1, (int)(x))
  auto* c = &f.features;
  P(c->shaderInt64);
  P(c->shaderInt16);
  P(c->shaderFloat64);
  P(v12->shaderInt8);
  P(v12->shaderFloat16);
  P(v12->shaderBufferInt64Atomics);
  P(v12->shaderSharedInt64Atomics);
  P(v11->variablePointers);
  P(v11->storageBuffer16BitAccess);
  P(v12->storageBuffer8BitAccess);
  P(v12->scalarBlockLayout);
  P(v12->vulkanMemoryModel);
  P(v12->bufferDeviceAddress);
  P(v13->subgroupSizeControl);
  P(v13->shaderIntegerDotProduct);
  P(c->shaderStorageImageArrayDynamicIndexing);
  if (af) {
    P(af->shaderBufferFloat32AtomicAdd);
    P(af->shaderImageFloat32AtomicAdd);
    P(af->shaderBufferFloat64AtomicAdd);
  }
  if (af2) {
    P(af2->shaderBufferFloat32AtomicMinMax);
    P(af2->shaderBufferFloat16AtomicAdd);
  }
  for (const char* s :
       {"VK_EXT_shader_image_atomic_int64", "VK_EXT_mesh_shader", "VK_KHR_ray_query", "VK_KHR_ray_tracing_pipeline",
        "VK_KHR_shader_clock", "VK_KHR_shader_maximal_reconvergence", "VK_KHR_cooperative_matrix"})
    printf(",\"%s\":%d", s, (int)has(s));
  puts("}");
}

static VkDeviceMemory hostMemory(const VkMemoryRequirements& mr) {
  uint32_t m = 0, want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while (m < memProps.memoryTypeCount &&
         !((mr.memoryTypeBits >> m & 1) && (memProps.memoryTypes[m].propertyFlags & want) == want))
    m++;
  VkMemoryAllocateInfo ma{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, mr.size, m};
  VkDeviceMemory mem;
  ck(vkAllocateMemory(dev, &ma, nullptr, &mem), "vkAllocateMemory");
  return mem;
}

static const VkImageSubresourceRange kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
// Makes the texture (linear rows, written by the host) or the sampler of b and puts it into the set.
static void bindImage(Buf& b, VkDescriptorSet set) {
  VkDescriptorImageInfo info{};
  if (b.kind == 'm') {
    VkSamplerCreateInfo si{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    si.magFilter = si.minFilter = b.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    si.addressModeU = si.addressModeV = si.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    ck(vkCreateSampler(dev, &si, nullptr, &b.sampler), "vkCreateSampler");
    info.sampler = b.sampler;
  } else {
    VkImageCreateInfo ii{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    ii.imageType = VK_IMAGE_TYPE_2D;
    ii.format = VK_FORMAT_R8G8B8A8_UNORM;
    ii.extent = {b.width, b.height, 1};
    ii.mipLevels = ii.arrayLayers = 1;
    ii.samples = VK_SAMPLE_COUNT_1_BIT;
    ii.tiling = VK_IMAGE_TILING_LINEAR;
    ii.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    ii.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
    ck(vkCreateImage(dev, &ii, nullptr, &b.image), "vkCreateImage");
    VkMemoryRequirements mr;
    vkGetImageMemoryRequirements(dev, b.image, &mr);
    b.mem = hostMemory(mr);
    ck(vkBindImageMemory(dev, b.image, b.mem, 0), "vkBindImageMemory");
    VkImageSubresource sub{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    VkSubresourceLayout rows;
    vkGetImageSubresourceLayout(dev, b.image, &sub, &rows);
    ck(vkMapMemory(dev, b.mem, 0, VK_WHOLE_SIZE, 0, &b.map), "vkMapMemory");
    for (size_t y = 0, n = b.width * 4; y < b.height && (y + 1) * n <= b.data.size(); y++)
      memcpy((char*)b.map + rows.offset + y * rows.rowPitch, b.data.data() + y * n, n);
    VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    vi.image = b.image;
    vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
    vi.format = ii.format;
    vi.subresourceRange = kColor;
    ck(vkCreateImageView(dev, &vi, nullptr, &b.view), "vkCreateImageView");
    info.imageView = b.view;
    info.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  VkWriteDescriptorSet w{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                         nullptr,
                         set,
                         b.binding,
                         0,
                         1,
                         b.kind == 'm' ? VK_DESCRIPTOR_TYPE_SAMPLER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                         &info,
                         nullptr,
                         nullptr};
  vkUpdateDescriptorSets(dev, 1, &w, 0, nullptr);
}

static void runJob(Job& j, std::string& stage, std::string& extra) {
  auto t0 = std::chrono::steady_clock::now();
  auto lap = [&] {
    auto t = std::chrono::steady_clock::now();
    double m = std::chrono::duration<double, std::milli>(t - t0).count();
    t0 = t;
    char s[32];
    snprintf(s, 32, "%.2f", m);
    return std::string(s);
  };
  Bytes code = slurp(j.shader);
  if (code.size() < 20 || code.size() % 4) throw std::runtime_error("not a SPIR-V module");
  VkShaderModuleCreateInfo mi{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  mi.codeSize = code.size();
  mi.pCode = (const uint32_t*)code.data();
  VkShaderModule mod;
  ck(vkCreateShaderModule(dev, &mi, nullptr, &mod), "vkCreateShaderModule");
  if (!j.run) return;
  stage = "pipeline";
  uint32_t sets = 0;
  for (auto& b : j.bufs) sets = std::max(sets, b.set + 1);
  auto type = [](Buf& b) {
    return b.kind == 't'   ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
           : b.kind == 'm' ? VK_DESCRIPTOR_TYPE_SAMPLER
           : b.kind == 'u' ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                           : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  };
  std::vector<VkDescriptorSetLayout> sl(sets);
  for (uint32_t s = 0; s < sets; s++) {
    std::vector<VkDescriptorSetLayoutBinding> lb;
    for (auto& b : j.bufs)
      if (b.set == s) lb.push_back({b.binding, type(b), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo li{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    li.bindingCount = (uint32_t)lb.size();
    li.pBindings = lb.data();
    ck(vkCreateDescriptorSetLayout(dev, &li, nullptr, &sl[s]), "vkCreateDescriptorSetLayout");
  }
  VkPushConstantRange pr{VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)j.push.size()};
  VkPipelineLayoutCreateInfo pli{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pli.setLayoutCount = sets;
  pli.pSetLayouts = sl.data();
  pli.pushConstantRangeCount = !j.push.empty();
  pli.pPushConstantRanges = &pr;
  VkPipelineLayout layout;
  ck(vkCreatePipelineLayout(dev, &pli, nullptr, &layout), "vkCreatePipelineLayout");
  std::vector<VkSpecializationMapEntry> se;
  std::vector<uint32_t> sd;
  for (auto& [id, w] : j.spec) {
    se.push_back({id, (uint32_t)sd.size() * 4, 4});
    sd.push_back(w);
  }
  VkSpecializationInfo si{(uint32_t)se.size(), se.data(), sd.size() * 4, sd.data()};
  VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  ci.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
              nullptr,
              0,
              VK_SHADER_STAGE_COMPUTE_BIT,
              mod,
              j.entry.c_str(),
              &si};
  ci.layout = layout;
  VkPipeline pipe;
  ck(vkCreateComputePipelines(dev, VK_NULL_HANDLE, 1, &ci, nullptr, &pipe), "vkCreateComputePipelines");
  extra = ",\"ms\":{\"pipeline\":" + lap();
  stage = "run";
  VkDescriptorPoolSize ps[4] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64},
                                {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64},
                                {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 16},
                                {VK_DESCRIPTOR_TYPE_SAMPLER, 16}};
  VkDescriptorPoolCreateInfo dpi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, std::max(1u, sets), 4, ps};
  VkDescriptorPool dp;
  ck(vkCreateDescriptorPool(dev, &dpi, nullptr, &dp), "vkCreateDescriptorPool");
  std::vector<VkDescriptorSet> ds(sets);
  VkDescriptorSetAllocateInfo dai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, dp, sets, sl.data()};
  if (sets) ck(vkAllocateDescriptorSets(dev, &dai, ds.data()), "vkAllocateDescriptorSets");
  for (auto& b : j.bufs) {
    if (b.kind == 't' || b.kind == 'm') {
      bindImage(b, ds[b.set]);
      continue;
    }
    VkBufferCreateInfo bi{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    bi.size = std::max<size_t>(16, b.data.size());
    bi.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    ck(vkCreateBuffer(dev, &bi, nullptr, &b.buf), "vkCreateBuffer");
    VkMemoryRequirements mr;
    vkGetBufferMemoryRequirements(dev, b.buf, &mr);
    b.mem = hostMemory(mr);
    ck(vkBindBufferMemory(dev, b.buf, b.mem, 0), "vkBindBufferMemory");
    ck(vkMapMemory(dev, b.mem, 0, VK_WHOLE_SIZE, 0, &b.map), "vkMapMemory");
    memcpy(b.map, b.data.data(), b.data.size());
    VkDescriptorBufferInfo dbi{b.buf, 0, std::max<size_t>(4, b.data.size())};
    VkWriteDescriptorSet w{
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, ds[b.set], b.binding, 0, 1, type(b), nullptr, &dbi, nullptr};
    vkUpdateDescriptorSets(dev, 1, &w, 0, nullptr);
  }
  VkCommandBufferAllocateInfo cai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                  VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer cb;
  ck(vkAllocateCommandBuffers(dev, &cai, &cb), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo cbi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  ck(vkBeginCommandBuffer(cb, &cbi), "vkBeginCommandBuffer");
  for (auto& b : j.bufs)
    if (b.image) {
      VkImageMemoryBarrier ib{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                              nullptr,
                              VK_ACCESS_HOST_WRITE_BIT,
                              VK_ACCESS_SHADER_READ_BIT,
                              VK_IMAGE_LAYOUT_PREINITIALIZED,
                              VK_IMAGE_LAYOUT_GENERAL,
                              VK_QUEUE_FAMILY_IGNORED,
                              VK_QUEUE_FAMILY_IGNORED,
                              b.image,
                              kColor};
      vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr, 0,
                           nullptr, 1, &ib);
    }
  vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, pipe);
  if (sets) vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets, ds.data(), 0, nullptr);
  if (!j.push.empty())
    vkCmdPushConstants(cb, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)j.push.size(), j.push.data());
  vkCmdDispatch(cb, j.d[0], j.d[1], j.d[2]);
  VkMemoryBarrier mb{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &mb, 0, nullptr, 0,
                       nullptr);
  ck(vkEndCommandBuffer(cb), "vkEndCommandBuffer");
  VkSubmitInfo sub{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  sub.commandBufferCount = 1;
  sub.pCommandBuffers = &cb;
  ck(vkQueueSubmit(queue, 1, &sub, VK_NULL_HANDLE), "vkQueueSubmit");
  ck(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  extra += ",\"run\":" + lap() + "},\"out\":{";
  const char* sep = "";
  for (auto& b : j.bufs)
    if (b.kind == 's') {
      extra += sep + ("\"" + std::to_string(b.set) + ":" + std::to_string(b.binding)) + "\":\"";
      for (size_t i = 0; i < b.data.size(); i++) {
        char t[3];
        snprintf(t, 3, "%02x", ((unsigned char*)b.map)[i]);
        extra += t;
      }
      extra += "\"";
      sep = ",";
    }
  extra += "}";
  for (auto& b : j.bufs) {
    vkDestroyBuffer(dev, b.buf, nullptr);
    vkDestroyImageView(dev, b.view, nullptr);
    vkDestroyImage(dev, b.image, nullptr);
    vkDestroySampler(dev, b.sampler, nullptr);
    vkFreeMemory(dev, b.mem, nullptr);
  }
  vkFreeCommandBuffers(dev, pool, 1, &cb);
  vkDestroyDescriptorPool(dev, dp, nullptr);
  vkDestroyPipeline(dev, pipe, nullptr);
  vkDestroyPipelineLayout(dev, layout, nullptr);
  for (auto s : sl) vkDestroyDescriptorSetLayout(dev, s, nullptr);
  vkDestroyShaderModule(dev, mod, nullptr);
}

int main(int argc, char** argv) try {
  std::vector<std::string> lines(argv + 1, argv + argc);
  if (!lines.empty() && lines[0] == "--features") {
    open(true);
    return 0;
  }
  if (lines.size() == 2 && lines[0] == "-f") {
    std::ifstream in(lines[1]);
    lines.clear();
    for (std::string l; std::getline(in, l);)
      if (!l.empty() && l[0] != '#') lines.push_back(l);
  }
  const char* t = getenv("VK_RUN_TIMEOUT");
  unsigned limit = t ? (unsigned)atoi(t) : 20;
  struct Shared {
    size_t next;
    int bad;
  }* sh = (Shared*)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  while (sh->next < lines.size()) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {  // Vulkan is first touched in the child
      try {
        open(false);
      } catch (std::exception& e) {
        fprintf(stderr, "vk_run: %s\n", e.what());
        _exit(3);
      }
      for (; sh->next < lines.size(); sh->next++) {
        std::string stage = "compile", extra, err;
        Job j;
        alarm(limit);
        try {
          j = parse(lines[sh->next]);
          runJob(j, stage, extra);
        } catch (std::exception& e) {
          err = e.what();
          sh->bad++;
        }
        if (!err.empty()) extra = ",\"error\":" + quote(err);
        printf("{\"shader\":%s,\"ok\":%s,\"stage\":\"%s\"%s}\n", quote(j.shader).c_str(),
               err.empty() ? "true" : "false", stage.c_str(), extra.c_str());
        fflush(stdout);
      }
      _exit(0);
    }
    int st = 0;
    waitpid(pid, &st, 0);
    if (WIFEXITED(st) && WEXITSTATUS(st)) return WEXITSTATUS(st);
    if (WIFSIGNALED(st)) {
      std::string name = lines[sh->next].substr(0, lines[sh->next].find(' '));
      printf("{\"shader\":%s,\"ok\":false,\"stage\":\"crash\",\"error\":\"%s\"}\n", quote(name).c_str(),
             WTERMSIG(st) == SIGALRM ? "time limit" : strsignal(WTERMSIG(st)));
      sh->next++;
      sh->bad++;
    }
  }
  return sh->bad != 0;
} catch (std::exception& e) {
  fprintf(stderr, "vk_run: %s\n", e.what());
  return 3;
}
