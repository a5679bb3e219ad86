// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties and features of a device.
// Why: drivers differ in many respects. The rest of the engine uses only these structs, and tests can replace them.
// How: queries Vulkan 1.1, then newer versions or extensions if the driver has them.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H

#include "runtime/src/gpu_vulkan/loader.h"
#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"

namespace nacre::runtime::gpu {

struct Traits {
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  VkPhysicalDeviceType type;
  uint32_t version; // Vulkan version of the device, but no newer than the instance.
  uint32_t vendor;
  uint32_t product;
  uint32_t driver;
  uint8_t cache_identity[VK_UUID_SIZE];
  Capabilities capabilities;
  const char *unusable; // Reason why the device cannot be used; nullptr if it can.
  uint32_t queue_family;
  uint32_t subgroup_size;
  bool unified; // True if CPU and GPU share one memory.
  bool timeline;
  bool unchecked;          // True if the device supports shaders that do not check their indices.
  bool preserves;          // True if the device supports shaders that preserve NaN, infinities and the sign of zero.
  uint32_t timestamp_bits; // Number of valid bits of a time stamp; 0 without time stamps.
  float timestamp_period;  // Nanoseconds between two values of a time stamp.
  VkPhysicalDeviceMemoryProperties memory;
};

/// Features to enable, in Vulkan's structures, linked for vkCreateDevice.
struct Features {
  VkPhysicalDeviceFeatures2 basic;
  VkPhysicalDevice16BitStorageFeatures storage_16;
  VkPhysicalDevice8BitStorageFeatures storage_8;
  VkPhysicalDeviceShaderFloat16Int8Features arithmetic;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dots;
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
  VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness;
  const char *extensions[8];
  uint32_t extension_count;
};

/// Queries the driver. Sets in `features` those that kernels or the engine can use. Returns false and sets `reason` if
/// a query failed. Then only the device's name and type are known, and the device is not usable.
bool read_traits(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool, Traits &traits, Features &features,
                 Reason &reason);

/// Lists the devices of an instance, in the driver's order. Returns false and sets `reason` if there is no device.
bool list_devices(const Loader &loader, MemoryPool &pool, List<VkPhysicalDevice> &devices, Reason &reason);

/// Makes every device report separate memories, in tests only.
#if defined(NACRE_RUNTIME_OF_TESTS)
extern bool memories_apart_for_tests;
#else
constexpr bool memories_apart_for_tests = false;
#endif

inline bool is_cpu(const Traits &traits) { return traits.type == VK_PHYSICAL_DEVICE_TYPE_CPU; }

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRAITS_H
