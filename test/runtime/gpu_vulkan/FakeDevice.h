// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the device that FakeVulkan.cpp pretends to have.
// Why:   what a library computes must not depend on the device; a machine for tests has one, or only a CPU that
//        emulates one.
// How:   words in the environment's NACRE_FAKE_DEVICE replace what the driver says: `type=1 vendor=5143 subgroup=64
//        invocations=256 shared=16384 int64=0 fp16=0 memories=2`. The vendor is in hexadecimal. With two memories, the
//        GPU's own one is type 0 and cannot be mapped, and the CPU's is type 1.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEDEVICE_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEDEVICE_H

#include "runtime/src/gpu_vulkan/vulkan_api.h"

namespace nacre::test {

/// Each changes what the driver has answered.
void disguise(VkPhysicalDeviceProperties2 &properties);
void disguise(VkPhysicalDeviceFeatures2 &features);
void disguise(VkPhysicalDeviceMemoryProperties &memory);
void disguise(VkMemoryRequirements &needs);

/// Returns the driver's number of a memory type.
uint32_t realMemoryType(uint32_t type);
/// Returns whether the CPU can map memory of that type.
bool isMappable(uint32_t type);

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEDEVICE_H
