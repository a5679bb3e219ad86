// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. the device, 2. buffers, 3. pipelines and their bindings, 4. commands.

#include "test/vulkan/Device.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

#ifndef VK_KHR_cooperative_matrix
// From the specification of the extension; the names are Khronos's.
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR = VkStructureType(1000506000);
struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
#endif

namespace nacre::test::vulkan {

Commands vk;

void check(VkResult result, const char *command) {
  if (result != VK_SUCCESS)
    fail(std::string(command) + " failed with " + std::to_string(int(result)));
}

//===----------------------------------------------------------------------===//
// 1. The device
//===----------------------------------------------------------------------===//

namespace {

VkInstance makeInstance(std::string &why) {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW);
  if (!library) {
    why = dlerror();
    return VK_NULL_HANDLE;
  }
  auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  auto createInstance = reinterpret_cast<PFN_vkCreateInstance>(find(nullptr, "vkCreateInstance"));
  auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_3;
  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  VkInstance instance;
  if (VkResult result = createInstance(&info, nullptr, &instance); result != VK_SUCCESS) {
    why = "CreateInstance failed with " + std::to_string(int(result));
    return VK_NULL_HANDLE;
  }
#define NACRE_TEST_VULKAN_COMMAND(name) vk.name = reinterpret_cast<PFN_vk##name>(find(instance, "vk" #name));
#include "test/vulkan/commands.def"
  return instance;
}

uint32_t familyThatComputes(VkPhysicalDevice physical) {
  uint32_t count = 0, family = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family + 1 < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    ++family;
  return family;
}

void makeDevice(Device &device) {
  uint32_t count = 0;
  NACRE_TEST_VULKAN(EnumerateDeviceExtensionProperties, device.physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  NACRE_TEST_VULKAN(EnumerateDeviceExtensionProperties, device.physical, nullptr, &count, extensions.data());
  auto has = [&](const char *name) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const VkExtensionProperties &it) { return std::strcmp(it.extensionName, name) == 0; });
  };
  std::vector<const char *> enabled;
  auto v11 = make<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  auto v12 = make<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  v11.pNext = &v12;
  auto matrix = make<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
  if (has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
    enabled.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    v12.pNext = &matrix;
  }
  auto robustness = make<VkPhysicalDevicePipelineRobustnessFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT);
  if (has(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME)) {
    enabled.push_back(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
    robustness.pNext = v12.pNext;
    v12.pNext = &robustness;
  }
  auto dots = make<VkPhysicalDeviceShaderIntegerDotProductFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
  if (has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    enabled.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    dots.pNext = v12.pNext;
    v12.pNext = &dots;
  }
  auto features = make<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &v11;
  vk.GetPhysicalDeviceFeatures2(device.physical, &features);
  // As the runtime would have it; and a test wants to see what is written beyond a storage.
  features.features.robustBufferAccess = VK_FALSE;
  matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;

  device.family = familyThatComputes(device.physical);
  const float priority = 1;
  auto queue = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = device.family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = uint32_t(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();
  NACRE_TEST_VULKAN(CreateDevice, device.physical, &info, nullptr, &device.handle);
  vk.GetDeviceQueue(device.handle, device.family, 0, &device.queue);
  device.core = features.features;
  device.v11 = v11;
  device.v12 = v12;
  device.v11.pNext = device.v12.pNext = nullptr; // of this function
  device.mayBeUnchecked = robustness.pipelineRobustness;
  device.hasDots = dots.shaderIntegerDotProduct;
}

} // namespace

bool open(Device &device, std::string &why) {
  device = {};
  VkInstance instance = makeInstance(why);
  if (!instance)
    return false;
  uint32_t count = 0;
  NACRE_TEST_VULKAN(EnumeratePhysicalDevices, instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  NACRE_TEST_VULKAN(EnumeratePhysicalDevices, instance, &count, devices.data());
  if (devices.empty()) {
    why = "Vulkan finds no device";
    return false;
  }
  auto isDiscrete = [](VkPhysicalDevice candidate) {
    VkPhysicalDeviceProperties known;
    vk.GetPhysicalDeviceProperties(candidate, &known);
    return known.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  };
  const auto chosen = std::find_if(devices.begin(), devices.end(), isDiscrete);
  device.physical = chosen == devices.end() ? devices.front() : *chosen;
  vk.GetPhysicalDeviceProperties(device.physical, &device.properties);
  vk.GetPhysicalDeviceMemoryProperties(device.physical, &device.memory);
  makeDevice(device);
  auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device.family;
  NACRE_TEST_VULKAN(CreateCommandPool, device.handle, &pool, nullptr, &device.pool);
  return true;
}

//===----------------------------------------------------------------------===//
// 2. Buffers
//===----------------------------------------------------------------------===//

Buffer makeBuffer(const Device &device, size_t bytes, VkMemoryPropertyFlags best, VkMemoryPropertyFlags enough) {
  Buffer made = {};
  auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  NACRE_TEST_VULKAN(CreateBuffer, device.handle, &info, nullptr, &made.buffer);
  VkMemoryRequirements wants;
  vk.GetBufferMemoryRequirements(device.handle, made.buffer, &wants);
  auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = wants.size;
  auto find = [&](VkMemoryPropertyFlags flags) {
    for (uint32_t i = 0; i < device.memory.memoryTypeCount; ++i)
      if ((wants.memoryTypeBits >> i & 1) && (device.memory.memoryTypes[i].propertyFlags & flags) == flags) {
        allocation.memoryTypeIndex = i;
        return true;
      }
    return false;
  };
  if (!find(best) && !find(enough))
    fail("no memory that serves");
  NACRE_TEST_VULKAN(AllocateMemory, device.handle, &allocation, nullptr, &made.memory);
  NACRE_TEST_VULKAN(BindBufferMemory, device.handle, made.buffer, made.memory, 0);
  return made;
}

char *map(const Device &device, const Buffer &buffer) {
  void *address;
  NACRE_TEST_VULKAN(MapMemory, device.handle, buffer.memory, 0, VK_WHOLE_SIZE, 0, &address);
  return static_cast<char *>(address);
}

void destroy(const Device &device, const Buffer &buffer) {
  vk.DestroyBuffer(device.handle, buffer.buffer, nullptr);
  vk.FreeMemory(device.handle, buffer.memory, nullptr);
}

//===----------------------------------------------------------------------===//
// 3. Pipelines
//===----------------------------------------------------------------------===//

Pipeline makePipeline(const Device &device, const uint32_t *code, size_t codeBytes, uint32_t bindings,
                      uint32_t constants) {
  Pipeline made = {};
  auto shader = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  shader.codeSize = codeBytes;
  shader.pCode = code;
  NACRE_TEST_VULKAN(CreateShaderModule, device.handle, &shader, nullptr, &made.shader);

  std::vector<VkDescriptorSetLayoutBinding> buffers;
  for (uint32_t i = 0; i < bindings; ++i)
    buffers.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  auto set = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = bindings;
  set.pBindings = buffers.data();
  NACRE_TEST_VULKAN(CreateDescriptorSetLayout, device.handle, &set, nullptr, &made.setLayout);
  auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, constants * uint32_t(sizeof(int32_t))};
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &made.setLayout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  NACRE_TEST_VULKAN(CreatePipelineLayout, device.handle, &layout, nullptr, &made.layout);

  auto compute = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  compute.stage = make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  compute.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  compute.stage.module = made.shader;
  compute.stage.pName = "main";
  compute.layout = made.layout;
  // As the runtime makes them.
  auto unchecked = make<VkPipelineRobustnessCreateInfoEXT>(VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
  unchecked.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
  compute.pNext = device.mayBeUnchecked ? &unchecked : nullptr;
  NACRE_TEST_VULKAN(CreateComputePipelines, device.handle, VK_NULL_HANDLE, 1, &compute, nullptr, &made.pipeline);
  return made;
}

void destroy(const Device &device, const Pipeline &pipeline) {
  vk.DestroyPipeline(device.handle, pipeline.pipeline, nullptr);
  vk.DestroyPipelineLayout(device.handle, pipeline.layout, nullptr);
  vk.DestroyDescriptorSetLayout(device.handle, pipeline.setLayout, nullptr);
  vk.DestroyShaderModule(device.handle, pipeline.shader, nullptr);
}

VkDescriptorPool makeDescriptorPool(const Device &device, uint32_t sets, uint32_t buffers) {
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers};
  auto info = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool;
  NACRE_TEST_VULKAN(CreateDescriptorPool, device.handle, &info, nullptr, &pool);
  return pool;
}

VkDescriptorSet makeSet(const Device &device, VkDescriptorPool pool, const Pipeline &pipeline,
                        const std::vector<VkDescriptorBufferInfo> &parts) {
  auto allocation = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocation.descriptorPool = pool;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &pipeline.setLayout;
  VkDescriptorSet set;
  NACRE_TEST_VULKAN(AllocateDescriptorSets, device.handle, &allocation, &set);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto write = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = set;
    write.dstBinding = uint32_t(i);
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &parts[i];
    vk.UpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
  }
  return set;
}

//===----------------------------------------------------------------------===//
// 4. Commands
//===----------------------------------------------------------------------===//

VkCommandBuffer makeCommands(const Device &device) {
  auto info = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = device.pool;
  info.commandBufferCount = 1;
  VkCommandBuffer commands;
  NACRE_TEST_VULKAN(AllocateCommandBuffers, device.handle, &info, &commands);
  return commands;
}

void begin(VkCommandBuffer commands) {
  auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  NACRE_TEST_VULKAN(BeginCommandBuffer, commands, &info);
}

void bind(VkCommandBuffer commands, const Pipeline &pipeline, VkDescriptorSet set,
          const std::vector<int32_t> &constants) {
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &set, 0, nullptr);
  vk.CmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      uint32_t(constants.size() * sizeof(int32_t)), constants.data());
}

void wait(VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after) {
  auto all = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vk.CmdPipelineBarrier(commands, before, after, 0, 1, &all, 0, nullptr, 0, nullptr);
}

void submit(const Device &device, VkCommandBuffer commands) {
  NACRE_TEST_VULKAN(EndCommandBuffer, commands);
  auto info = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  NACRE_TEST_VULKAN(QueueSubmit, device.queue, 1, &info, VK_NULL_HANDLE);
  NACRE_TEST_VULKAN(QueueWaitIdle, device.queue);
}

} // namespace nacre::test::vulkan
