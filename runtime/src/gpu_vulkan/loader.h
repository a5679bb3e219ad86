// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan's library, its commands, and an instance.
// Why: every device that Vulkan offers is reached through these.
// How: dlopen; the commands of an instance and of a device are looked up when there is one.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H

#include "runtime/src/gpu_vulkan/vulkan_api.h"

namespace nacre::runtime::gpu {

struct Loader {
  void *library;
  PFN_vkGetInstanceProcAddr get_address;
  VulkanApi vk;
  VkInstance instance;
  uint32_t version; // that the instance was made for: at least 1.1
};

/// Makes an instance. False, with the reason: there is no Vulkan here, or none that serves. Close it in either case.
bool open(Loader &loader, Reason &reason);
bool load_device_commands(Loader &loader, VkDevice device, bool timeline_is_core, Reason &reason);
void close(Loader &loader);

/// A library to open instead of the system's. nullptr: the system's, which in models it always is.
#if defined(NACRE_RUNTIME_OF_TESTS)
extern const char *library_for_tests;
#else
constexpr const char *library_for_tests = nullptr;
#endif

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_LOADER_H
