// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a session uses, made ready: its queue, memory, and the way to wait for it.
// Why: everything else in the engine allocates, records or submits through this.
// How: handles start as null, so that closing can follow a failure at any point.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime::gpu {

/// A buffer in memory of its own.
struct DeviceBuffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  char *mapped; // nullptr where the CPU does not see it
  uint64_t bytes;
  uint64_t taken; // of the device's memory
};

/// Whether a buffer is to be fast for the GPU alone, or seen by both.
enum class Placing { OfTheGpu, ReadByTheCpu, WrittenByTheCpu };

/// How CPU and GPU wait for each other: two timelines, one that the queue advances and one that the CPU does; or, where
/// the driver has none, a fence.
struct Meeting {
  VkSemaphore gpu; // its value: batches that are done
  VkSemaphore cpu; // its value: what the CPU has signalled
  VkFence fence;
  uint64_t submitted; // batches; with a fence at most one of them is not done
  uint64_t waited;    // of those: known to be done
  uint64_t promised;  // the largest value of `cpu` that a submitted batch waits for
  uint64_t signalled;
};

struct Device {
  Loader loader;
  VkPhysicalDevice physical;
  VkDevice handle;
  VkQueue queue;
  VkCommandPool commands;
  Meeting meeting;
  uint64_t bytes; // of all buffers
  Traits traits;
};

/// Chooses device number `choice` - 1, or the best for 0; a CPU that plays a GPU only if `required`. False, with the
/// reason, if there is none or it fails. Close it in either case.
bool open(Device &device, uint32_t choice, bool required, MemoryPool &pool, Reason &reason);
void close(Device &device);

bool make_buffer(Device &device, uint64_t bytes, Placing placing, DeviceBuffer &buffer, Reason &reason);
void destroy_buffer(Device &device, DeviceBuffer &buffer);

bool make_commands(Device &device, uint32_t count, VkCommandBuffer *commands, Reason &reason);
bool begin_commands(Device &device, VkCommandBuffer commands, bool once, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
