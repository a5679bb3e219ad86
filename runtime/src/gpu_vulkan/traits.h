// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device is and can do.
// Why: drivers differ in everything; the rest of the engine asks here, and tests can pretend.
// How: queries of Vulkan 1.1, then of what newer versions or extensions add, where the driver says that it has them.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H

#include "runtime/src/gpu_vulkan/loader.h"
#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"

namespace nacre::runtime::gpu {

struct Traits {
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  VkPhysicalDeviceType type;
  uint32_t version; // of Vulkan: of the device, but no newer than the instance
  uint32_t vendor;
  uint32_t product;
  uint32_t driver;
  uint8_t cache_identity[VK_UUID_SIZE];
  Capabilities capabilities;
  const char *unusable; // why it cannot be used; nullptr: it can
  uint32_t queue_family;
  uint32_t subgroup_size;
  bool unified; // CPU and GPU have the same memory
  bool timeline;
  bool unchecked;          // shaders can be made that do not check their indices
  bool preserves;          // shaders can be made in which NaN, infinities and the sign of zero count
  uint32_t timestamp_bits; // 0: it cannot tell times
  float timestamp_period;  // nanoseconds
  VkPhysicalDeviceMemoryProperties memory;
};

/// What to enable of a device: Vulkan's structures, linked as vkCreateDevice wants them.
struct Features {
  VkPhysicalDeviceFeatures2 basic;
  VkPhysicalDevice16BitStorageFeatures storage_16;
  VkPhysicalDevice8BitStorageFeatures storage_8;
  VkPhysicalDeviceShaderFloat16Int8Features arithmetic;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
  VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness;
  const char *extensions[8];
  uint32_t extension_count;
};

/// Asks the driver. `features` gets what kernels or the engine can use. False, with the reason, if a query failed: then
/// no more is known of the device than its name and kind, and it is of no use.
bool read_traits(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool, Traits &traits, Features &features,
                 Reason &reason);

/// The devices of an instance, in the driver's order. False, with the reason, if there are none.
bool list_devices(const Loader &loader, MemoryPool &pool, List<VkPhysicalDevice> &devices, Reason &reason);

/// Every device is taken to have a memory of its own; never so in models.
#if defined(NACRE_RUNTIME_OF_TESTS)
extern bool memories_apart_for_tests;
#else
constexpr bool memories_apart_for_tests = false;
#endif

inline bool is_cpu(const Traits &traits) { return traits.type == VK_PHYSICAL_DEVICE_TYPE_CPU; }

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H
