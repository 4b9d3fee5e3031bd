// The Vulkan device of vk_run: the first one of the driver that VK_ICD_FILENAMES names, with every feature it has.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

inline void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(result));
}

inline std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escape[8];
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 32) {
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class Device {
 public:
  VkPhysicalDevice physical{};
  VkDevice handle{};
  VkQueue queue{};
  VkCommandPool pool{};

  void open() {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    VkInstance instance;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) throw std::runtime_error("no device");
    vkGetPhysicalDeviceMemoryProperties(physical, &memory_);
    collect_features();
    create();
  }

  /// Memory for what `needs` says: host-visible where its kind can be, as all but some render targets can.
  VkDeviceMemory allocate(const VkMemoryRequirements& needs) const {
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const uint32_t count = memory_.memoryTypeCount;
    uint32_t type = memory_type(needs.memoryTypeBits, host);
    if (type == count) type = memory_type(needs.memoryTypeBits, 0);
    if (type == count) throw std::runtime_error("no memory type fits");
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    VkDeviceMemory out;
    check(vkAllocateMemory(handle, &info, nullptr, &out), "vkAllocateMemory");
    return out;
  }

  void print() const {
    VkPhysicalDeviceSubgroupProperties subgroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &subgroup};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    vkGetPhysicalDeviceProperties2(physical, &all);
    const uint32_t version = all.properties.apiVersion;
    std::printf("{\"device\":%s,\"driver\":%s,\"vulkan\":\"%u.%u.%u\",\"subgroupSize\":%u,\"subgroupOps\":\"0x%x\"}\n",
                quote(all.properties.deviceName).c_str(), quote(driver.driverInfo).c_str(), VK_VERSION_MAJOR(version),
                VK_VERSION_MINOR(version), VK_VERSION_PATCH(version), subgroup.subgroupSize, subgroup.supportedOperations);
  }

 private:
  /// The first of `allowed` with all of `want`; memoryTypeCount if there is none.
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags want) const {
    uint32_t type = 0;
    while (type < memory_.memoryTypeCount &&
           !((allowed >> type & 1) && (memory_.memoryTypes[type].propertyFlags & want) == want)) {
      ++type;
    }
    return type;
  }
  bool has(const char* name) const {
    for (const VkExtensionProperties& e : extensions_) {
      if (std::strcmp(e.extensionName, name) == 0) return true;
    }
    return false;
  }
  template <class T>
  void link(T& features, VkStructureType type) {
    features = T{};
    features.sType = type;
    features.pNext = features_.pNext;
    features_.pNext = &features;
  }
  template <class T>
  void link_extension(T& features, VkStructureType type, const char* name) {
    if (!has(name)) return;
    enabled_.push_back(name);
    link(features, type);
  }

  // The driver's answer is handed back when the device is made: all on.
  void collect_features() {
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    extensions_.resize(count);
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions_.data());
    link(v11_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    link(v12_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    link(v13_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    link_extension(float_atomics_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                   VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    link_extension(float_atomics2_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
                   VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
    link_extension(image_int64_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
                   VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME);
    link_extension(clock_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
    vkGetPhysicalDeviceFeatures2(physical, &features_);
  }

  void create() {
    uint32_t count = 0, family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    const VkQueueFlags want = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
    while (family + 1 < count && (families[family].queueFlags & want) != want) ++family;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pNext = &features_;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue_info;
    info.enabledExtensionCount = static_cast<uint32_t>(enabled_.size());
    info.ppEnabledExtensionNames = enabled_.data();
    check(vkCreateDevice(physical, &info, nullptr, &handle), "vkCreateDevice");
    vkGetDeviceQueue(handle, family, 0, &queue);
    VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool_info.queueFamilyIndex = family;
    check(vkCreateCommandPool(handle, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  }

  VkPhysicalDeviceMemoryProperties memory_{};
  std::vector<VkExtensionProperties> extensions_;
  std::vector<const char*> enabled_;
  VkPhysicalDeviceFeatures2 features_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11_;
  VkPhysicalDeviceVulkan12Features v12_;
  VkPhysicalDeviceVulkan13Features v13_;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT float_atomics_;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT float_atomics2_;
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64_;
  VkPhysicalDeviceShaderClockFeaturesKHR clock_;
};
