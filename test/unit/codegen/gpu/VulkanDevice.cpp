// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. open the device, with every feature it has; 2. one buffer for all storages, guards included; 3. a dispatch.

#include "test/unit/codegen/gpu/VulkanDevice.h"
#include "runtime/include/nacre/model_format.h"

#include "llvm/Support/MathExtras.h"
#include <cstdio>
#include <vulkan/vulkan.h>

namespace nacre::codegen {

struct VulkanDevice::State {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory = {};
  VkPhysicalDeviceLimits limits = {};
  uint64_t has = 0; ///< NACRE_GPU_NEED bits.
};

namespace {

#define NACRE_VK(call)                                                                                                 \
  do {                                                                                                                 \
    if (VkResult result = (call); result != VK_SUCCESS) {                                                              \
      std::fprintf(stderr, "%s: %d\n", #call, result);                                                                 \
      return false;                                                                                                    \
    }                                                                                                                  \
  } while (false)

//===----------------------------------------------------------------------===//
// 1. The device
//===----------------------------------------------------------------------===//

bool pickDevice(VkPhysicalDevice &physical) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance;
  NACRE_VK(vkCreateInstance(&info, nullptr, &instance));
  uint32_t count = 1;
  VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
  return (result == VK_SUCCESS || result == VK_INCOMPLETE) && count == 1;
}

uint64_t bit(VkBool32 is, nacre_gpu_bit name) { return is ? NACRE_GPU_NEED(name) : 0; }

/// What a variant that runs here may find: nothing is allowed that a release device would not be asked for.
uint64_t featuresOf(const VkPhysicalDeviceVulkan11Features &v11, const VkPhysicalDeviceVulkan12Features &v12,
                    const VkPhysicalDeviceFeatures &core, VkPhysicalDevice physical) {
  VkPhysicalDeviceSubgroupProperties subgroup = {};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroup;
  vkGetPhysicalDeviceProperties2(physical, &properties);
  const VkSubgroupFeatureFlags used = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return bit(v11.storageBuffer16BitAccess, NACRE_GPU_STORAGE_16) |
         bit(v12.storageBuffer8BitAccess, NACRE_GPU_STORAGE_8) | bit(v12.shaderFloat16, NACRE_GPU_FLOAT_16) |
         bit(v12.shaderInt8, NACRE_GPU_INT_8) | bit(core.shaderInt16, NACRE_GPU_INT_16) |
         bit(core.shaderInt64, NACRE_GPU_INT_64) | bit(core.shaderFloat64, NACRE_GPU_FLOAT_64) |
         bit((subgroup.supportedOperations & used) == used, NACRE_GPU_SUBGROUPS);
}

} // namespace

VulkanDevice *VulkanDevice::get() {
  static VulkanDevice *opened = []() -> VulkanDevice * {
    auto *state = new State;
    auto open = [&] {
      if (!pickDevice(state->physical))
        return false;
      VkPhysicalDeviceVulkan12Features v12 = {};
      v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
      VkPhysicalDeviceVulkan11Features v11 = {};
      v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
      v11.pNext = &v12;
      VkPhysicalDeviceFeatures2 features = {};
      features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
      features.pNext = &v11;
      vkGetPhysicalDeviceFeatures2(state->physical, &features);
      state->has = featuresOf(v11, v12, features.features, state->physical);
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(state->physical, &properties);
      state->limits = properties.limits;
      vkGetPhysicalDeviceMemoryProperties(state->physical, &state->memory);

      const float priority = 1;
      VkDeviceQueueCreateInfo queue = {};
      queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
      queue.queueCount = 1;
      queue.pQueuePriorities = &priority;
      VkDeviceCreateInfo info = {};
      info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
      info.pNext = &features;
      info.queueCreateInfoCount = 1;
      info.pQueueCreateInfos = &queue;
      NACRE_VK(vkCreateDevice(state->physical, &info, nullptr, &state->device));
      vkGetDeviceQueue(state->device, 0, 0, &state->queue);
      VkCommandPoolCreateInfo pool = {};
      pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
      NACRE_VK(vkCreateCommandPool(state->device, &pool, nullptr, &state->pool));
      return true;
    };
    if (!open())
      return nullptr;
    auto *device = new VulkanDevice;
    device->state = state;
    return device;
  }();
  return opened;
}

bool VulkanDevice::meets(const GpuKernelCode &code) const {
  return (code.needs & ~state->has) == 0 && code.workgroupSize <= state->limits.maxComputeWorkGroupInvocations &&
         code.sharedBytes <= state->limits.maxComputeSharedMemorySize;
}

//===----------------------------------------------------------------------===//
// 2. and 3. A launch
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t kMostPushConstants = 2 + NACRE_GPU_MOST_SHIFTED;

/// What one launch makes; nothing is kept, a test is not in a hurry.
struct Launch {
  VkDevice device;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkShaderModule shader = VK_NULL_HANDLE;
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  llvm::SmallVector<int32_t> shifts; ///< Of the shifted bindings.

  explicit Launch(VkDevice device) : device(device) {}
  ~Launch() {
    vkDestroyDescriptorPool(device, descriptors, nullptr);
    vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
    vkDestroyShaderModule(device, shader, nullptr);
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }

  bool makeBuffer(size_t bytes, const VkPhysicalDeviceMemoryProperties &types, char *&mapped) {
    VkBufferCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    NACRE_VK(vkCreateBuffer(device, &info, nullptr, &buffer));
    VkMemoryRequirements wants;
    vkGetBufferMemoryRequirements(device, buffer, &wants);
    const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryAllocateInfo allocation = {};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = wants.size;
    while (!(wants.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
           (types.memoryTypes[allocation.memoryTypeIndex].propertyFlags & flags) != flags)
      ++allocation.memoryTypeIndex; // Vulkan promises one.
    NACRE_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    NACRE_VK(vkBindBufferMemory(device, buffer, memory, 0));
    NACRE_VK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void **>(&mapped)));
    return true;
  }

  bool makePipeline(const GpuKernelCode &code) {
    VkShaderModuleCreateInfo module = {};
    module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module.codeSize = code.code.size() * sizeof(uint32_t);
    module.pCode = code.code.data();
    NACRE_VK(vkCreateShaderModule(device, &module, nullptr, &shader));
    std::vector<VkDescriptorSetLayoutBinding> bindings(code.bindings.size());
    for (size_t i = 0; i < bindings.size(); ++i)
      bindings[i] = {uint32_t(i), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set = {};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = bindings.size();
    set.pBindings = bindings.data();
    NACRE_VK(vkCreateDescriptorSetLayout(device, &set, nullptr, &setLayout));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kMostPushConstants * sizeof(int32_t)};
    VkPipelineLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    NACRE_VK(vkCreatePipelineLayout(device, &info, nullptr, &layout));
    VkComputePipelineCreateInfo compute = {};
    compute.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    compute.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    compute.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    compute.stage.module = shader;
    compute.stage.pName = "main";
    compute.layout = layout;
    NACRE_VK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &compute, nullptr, &pipeline));
    return true;
  }

  /// What is shifted is bound where any device can, and the rest of the way is a push constant; what is bound several
  /// times is bound in pieces.
  bool bind(const GpuKernelCode &code, llvm::ArrayRef<size_t> offsets, llvm::ArrayRef<Storage> storages) {
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, uint32_t(code.bindings.size())};
    VkDescriptorPoolCreateInfo pool = {};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    NACRE_VK(vkCreateDescriptorPool(device, &pool, nullptr, &descriptors));
    VkDescriptorSetAllocateInfo allocation = {};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = descriptors;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &setLayout;
    NACRE_VK(vkAllocateDescriptorSets(device, &allocation, &set));
    for (size_t i = 0; i < code.bindings.size(); ++i) {
      const unsigned operand = code.bindings[i];
      const size_t shift = code.shifted >> i & 1 ? offsets[operand] % kGpuBufferAlignment : 0;
      if (code.shifted >> i & 1)
        shifts.push_back(int32_t(shift));
      const size_t piece = llvm::count(llvm::ArrayRef(code.bindings).take_front(i), operand) * code.pieceBytes;
      size_t bytes = llvm::alignTo(storages[operand].bytes + shift - piece, 16);
      if (code.pieceBytes)
        bytes = std::min<size_t>(bytes, code.pieceBytes);
      const VkDescriptorBufferInfo part = {buffer, offsets[operand] - shift + piece, bytes};
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &part;
      vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    }
    return true;
  }

  bool dispatch(const GpuKernelCode &code, VkQueue queue, VkCommandPool pool, int64_t begin, int64_t end) {
    VkCommandBufferAllocateInfo allocation = {};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = pool;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands;
    NACRE_VK(vkAllocateCommandBuffers(device, &allocation, &commands));
    VkCommandBufferBeginInfo once = {};
    once.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    NACRE_VK(vkBeginCommandBuffer(commands, &once));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    llvm::SmallVector<int32_t> constants = {int32_t(begin), int32_t(end)};
    constants.append(shifts);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, constants.size() * sizeof(int32_t),
                       constants.data());
    vkCmdDispatch(commands, code.groups, llvm::divideCeil(end - begin, code.unitExtent), 1);
    VkMemoryBarrier visible = {};
    visible.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    visible.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    visible.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0,
                         nullptr, 0, nullptr);
    NACRE_VK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    NACRE_VK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    NACRE_VK(vkQueueWaitIdle(queue));
    vkFreeCommandBuffers(device, pool, 1, &commands);
    return true;
  }
};

} // namespace

bool VulkanDevice::run(const GpuKernelCode &code, llvm::MutableArrayRef<Storage> storages,
                       llvm::ArrayRef<int64_t> alignments, int64_t begin, int64_t end) {
  llvm::SmallVector<size_t> offsets;
  size_t bytes = 0;
  for (auto [storage, alignment] : llvm::zip_equal(storages, alignments)) {
    offsets.push_back(llvm::alignTo(bytes + kGuard, kGpuBufferAlignment) + 3 * alignment % kGpuBufferAlignment);
    bytes = offsets.back() + storage.bytes + kGuard;
  }
  Launch launch(state->device);
  char *mapped = nullptr;
  if (!launch.makeBuffer(bytes, state->memory, mapped))
    return false;
  for (auto [storage, offset] : llvm::zip_equal(storages, offsets))
    std::memcpy(mapped + offset - kGuard, storage.memory.data(), storage.memory.size());
  if (!launch.makePipeline(code) || !launch.bind(code, offsets, storages) ||
      !launch.dispatch(code, state->queue, state->pool, begin, end))
    return false;
  for (auto [storage, offset] : llvm::zip_equal(storages, offsets))
    std::memcpy(storage.memory.data(), mapped + offset - kGuard, storage.memory.size());
  return true;
}

} // namespace nacre::codegen
