// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open device of a session: its queue, memory, and synchronization.
// Why: the rest of the engine allocates, records and submits through this struct.
// How: handles are null until they are created, so close() works after a failure at any point.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime::gpu {

/// Buffer with its own memory.
struct DeviceBuffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  char *mapped; // Address for the CPU; null if the CPU cannot access the buffer.
  uint64_t bytes;
  uint64_t taken; // Size of the device's memory for this buffer in bytes.
};

/// Placement of a buffer: in fast memory for the GPU only, or in memory that both engines access.
enum class Placing { OfTheGpu, ReadByTheCpu, WrittenByTheCpu };

/// Synchronization of CPU and GPU. The queue advances one timeline semaphore, and the CPU advances another. Drivers
/// without timeline semaphores use a fence.
struct Meeting {
  VkSemaphore gpu; // Timeline whose value is the number of batches that are done.
  VkSemaphore cpu; // Timeline whose value is the largest word that the CPU has signalled.
  VkFence fence;
  uint64_t submitted; // Number of submitted batches. With a fence, at most one of them is not done.
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
  uint64_t bytes; // Size of all buffers in bytes.
  Traits traits;
};

/// Opens the device with index `choice` - 1, or the best device if `choice` is 0. Uses a GPU that the CPU emulates only
/// if `required`. On failure, returns false and sets `reason`. The device must be closed in either case.
bool open(Device &device, uint32_t choice, bool required, MemoryPool &pool, Reason &reason);
void close(Device &device);

bool make_buffer(Device &device, uint64_t bytes, Placing placing, DeviceBuffer &buffer, Reason &reason);
void destroy_buffer(Device &device, DeviceBuffer &buffer);

bool make_commands(Device &device, uint32_t count, VkCommandBuffer *commands, Reason &reason);
bool begin_commands(Device &device, VkCommandBuffer commands, bool once, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_DEVICE_H
