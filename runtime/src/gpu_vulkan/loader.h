// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Vulkan library, its commands, and an instance.
// Why: all code of the engine calls Vulkan through them.
// How: dlopen loads the library. The commands of an instance or a device are looked up after its creation.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H

#include "runtime/src/gpu_vulkan/vulkan_api.h"

namespace nacre::runtime::gpu {

struct Loader {
  void *library;
  PFN_vkGetInstanceProcAddr get_address;
  VulkanApi vk;
  VkInstance instance;
  uint32_t version; // Vulkan version of the instance: at least 1.1.
};

/// Opens the library and creates an instance. Returns false and sets `reason` if there is no usable Vulkan. The loader
/// must be closed in either case.
bool open(Loader &loader, Reason &reason);
bool load_device_commands(Loader &loader, VkDevice device, bool timeline_is_core, Reason &reason);
void close(Loader &loader);

/// Path of the Vulkan library that tests open; nullptr for the system's library, which models always open.
#if defined(NACRE_RUNTIME_OF_TESTS)
extern const char *library_for_tests;
#else
constexpr const char *library_for_tests = nullptr;
#endif

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H
