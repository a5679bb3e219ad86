// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open device of a session: its queue, memory, and synchronization.
// Why: the rest of the engine allocates, records and submits through this.
// How: handles are null at first, so closing works after a failure at any point.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime::gpu {

/// Buffer with memory of its own.
struct DeviceBuffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  char *mapped; // Null if the CPU cannot access it.
  uint64_t bytes;
  uint64_t taken; // Bytes of the device's memory.
};

/// Placement of a buffer: fast for the GPU only, or accessible for both.
enum class Placing { OfTheGpu, ReadByTheCpu, WrittenByTheCpu };

/// Synchronization of CPU and GPU: two timelines, one that the queue advances and one that the CPU advances. If the
/// driver has no timelines, a fence.
struct Meeting {
  VkSemaphore gpu; // Its value is the number of batches that are done.
  VkSemaphore cpu; // Its value is the number that the CPU has signalled.
  VkFence fence;
  uint64_t submitted; // Number of batches; with a fence, at most one of them is not done.
  uint64_t waited;    // Number of batches known to be done.
  uint64_t promised;  // Largest value of `cpu` that a submitted batch waits for.
  uint64_t signalled;
};

struct Device {
  Loader loader;
  VkPhysicalDevice physical;
  VkDevice handle;
  VkQueue queue;
  VkCommandPool commands;
  Meeting meeting;
  uint64_t bytes; // Bytes of all buffers.
  Traits traits;
};

/// Opens device number `choice` - 1, or the best one for 0. Uses a GPU that the CPU emulates only if `required`.
/// Returns false, with the reason, on failure. The device must be closed in either case.
bool open(Device &device, uint32_t choice, bool required, MemoryPool &pool, Reason &reason);
void close(Device &device);

bool make_buffer(Device &device, uint64_t bytes, Placing placing, DeviceBuffer &buffer, Reason &reason);
void destroy_buffer(Device &device, DeviceBuffer &buffer);

bool make_commands(Device &device, uint32_t count, VkCommandBuffer *commands, Reason &reason);
bool begin_commands(Device &device, VkCommandBuffer commands, bool once, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
