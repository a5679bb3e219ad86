// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements device.h: 1. the choice; 2. opening and closing; 3. buffers; 4. commands.

#include "runtime/src/gpu_vulkan/submission.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. The choice

int score(const Traits &traits, bool required) {
  if (traits.unusable || (is_cpu(traits) && !required))
    return 0;
  switch (traits.type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 5;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 4;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 3;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 1;
  default:
    return 2;
  }
}

/// Chooses a device, and stores it and its traits in `device`. Stores the features to enable in `features`.
bool choose(Device &device, uint32_t choice, bool required, MemoryPool &pool, Features &features, Reason &reason) {
  List<VkPhysicalDevice> devices = {};
  if (!list_devices(device.loader, pool, devices, reason))
    return false;
  if (choice > devices.count) {
    // Devices are counted from 0, as in nacre_device_describe and all programs.
    reason << "there is no GPU number " << uint64_t(choice - 1) << ": Vulkan has " << uint64_t(devices.count);
    return false;
  }
  int best = 0;
  VkPhysicalDevice latest = {}; // Device whose traits were read last.
  Reason fault;                 // Reason why a device could not be queried. Other devices may be usable.
  for (uint32_t i = 0; i < devices.count; ++i) {
    if (choice != 0 && choice - 1 != i)
      continue;
    fault = {};
    latest = {};
    if (!read_traits(device.loader, devices[i], pool, device.traits, features, fault)) {
      reason = fault;
      continue;
    }
    latest = devices[i];
    const int points = score(device.traits, required || choice != 0);
    if (points > best) {
      best = points;
      device.physical = latest;
    }
  }
  if (best == 0) {
    if (!*reason.c_str())
      reason << "Vulkan has no suitable device" << (required ? "" : ", except perhaps an emulated one");
    return false;
  }
  reason = {};
  return device.physical == latest ||
         read_traits(device.loader, device.physical, pool, device.traits, features, reason);
}

// --- 2. Opening and closing

bool make_device(Device &device, Features &features, Reason &reason) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = device.traits.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.basic;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = features.extension_count;
  info.ppEnabledExtensionNames = features.extensions;
  VkDevice handle = nullptr;
  if (!succeeded(device.loader.vk.CreateDevice(device.physical, &info, nullptr, &handle), "vkCreateDevice", reason))
    return false;
  device.handle = handle;
  if (!load_device_commands(device.loader, handle, device.traits.version >= VK_API_VERSION_1_2, reason))
    return false;
  device.loader.vk.GetDeviceQueue(handle, device.traits.queue_family, 0, &device.queue);
  return true;
}

// --- 3. Buffers

/// Returns the index of a memory type for a placing; UINT32_MAX if no type fits. `wishes` lists sets of properties for
/// each placing, the best set first.
uint32_t choose_memory(const VkPhysicalDeviceMemoryProperties &memory, uint32_t allowed, Placing placing) {
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  // For the CPU, uncached memory is very slow to read, but as fast to write as cached memory.
  static constexpr VkMemoryPropertyFlags wishes[3][4] = {
      {local, 0, 0, 0}, {local | seen | cached, seen | cached, local | seen, seen}, {local | seen, seen, seen, seen}};
  for (VkMemoryPropertyFlags wish : wishes[int(placing)])
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wish) == wish)
        return i;
  return UINT32_MAX;
}

} // namespace

bool open(Device &device, uint32_t choice, bool required, MemoryPool &pool, Reason &reason) {
  Features features;
  if (!open(device.loader, reason) || !choose(device, choice, required, pool, features, reason) ||
      !make_device(device, features, reason) || !make_meeting(device, reason))
    return false;
  VkCommandPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = device.traits.queue_family;
  return succeeded(device.loader.vk.CreateCommandPool(device.handle, &info, nullptr, &device.commands),
                   "vkCreateCommandPool", reason);
}

void close(Device &device) {
  const VulkanApi &vk = device.loader.vk;
  if (device.handle && vk.DestroyDevice) {
    if (device.commands)
      vk.DestroyCommandPool(device.handle, device.commands, nullptr);
    destroy_meeting(device);
    vk.DestroyDevice(device.handle, nullptr);
  }
  close(device.loader);
}

bool make_buffer(Device &device, uint64_t bytes, Placing placing, DeviceBuffer &buffer, Reason &reason) {
  const VulkanApi &vk = device.loader.vk;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (!succeeded(vk.CreateBuffer(device.handle, &info, nullptr, &buffer.buffer), "vkCreateBuffer", reason))
    return false;
  VkMemoryRequirements needs = {};
  vk.GetBufferMemoryRequirements(device.handle, buffer.buffer, &needs);
  VkMemoryAllocateInfo request = {};
  request.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  request.allocationSize = needs.size;
  request.memoryTypeIndex = choose_memory(device.traits.memory, needs.memoryTypeBits, placing);
  if (request.memoryTypeIndex == UINT32_MAX) {
    reason << "the GPU has no memory that " << (placing == Placing::OfTheGpu ? "it" : "the CPU") << " can use";
    return false;
  }
  if (!succeeded(vk.AllocateMemory(device.handle, &request, nullptr, &buffer.memory), "vkAllocateMemory", reason) ||
      !succeeded(vk.BindBufferMemory(device.handle, buffer.buffer, buffer.memory, 0), "vkBindBufferMemory", reason))
    return false;
  buffer.bytes = bytes;
  device.bytes += buffer.taken = needs.size;
  if (placing == Placing::OfTheGpu)
    return true;
  void *mapped = nullptr;
  if (!succeeded(vk.MapMemory(device.handle, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory", reason))
    return false;
  buffer.mapped = static_cast<char *>(mapped);
  return true;
}

void destroy_buffer(Device &device, DeviceBuffer &buffer) {
  const VulkanApi &vk = device.loader.vk;
  if (buffer.buffer)
    vk.DestroyBuffer(device.handle, buffer.buffer, nullptr);
  if (buffer.memory)
    vk.FreeMemory(device.handle, buffer.memory, nullptr); // This call also unmaps the memory.
  device.bytes -= buffer.taken;
  buffer = {};
}

// --- 4. Commands

bool make_commands(Device &device, uint32_t count, VkCommandBuffer *commands, Reason &reason) {
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = device.commands;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = count;
  return succeeded(device.loader.vk.AllocateCommandBuffers(device.handle, &info, commands), "vkAllocateCommandBuffers",
                   reason);
}

bool begin_commands(Device &device, VkCommandBuffer commands, bool once, Reason &reason) {
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = once ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : 0;
  return succeeded(device.loader.vk.BeginCommandBuffer(commands, &info), "vkBeginCommandBuffer", reason);
}

} // namespace nacre::runtime::gpu
