// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Submits batches to the queue, and synchronizes CPU and GPU.
// Why: if the CPU submits a batch only after its own part, the GPU is idle during the submission. With timeline
//      semaphores, all batches of a run are submitted at its beginning. Each batch waits on the device until the CPU
//      signals a word.
// How: submitted batches are counted over the session's life, and so are the CPU's words. Without timeline semaphores
//      or unified memory, each batch is submitted when the CPU is ready for it.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H

#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

/// Batches of a run in Vulkan's structs. All runs use the same structs, so that submitting allocates nothing.
struct Submissions {
  VkSubmitInfo *infos;
  VkTimelineSemaphoreSubmitInfo *timelines;
  uint64_t *dones;  // For each batch: the count that its end signals.
  uint64_t *awaits; // For each batch: the CPU's word that it waits for; 0 if it does not wait.
  uint32_t count;
};

bool make_meeting(Device &device, Reason &reason);
void destroy_meeting(Device &device);

/// True if batches can wait for the CPU on the device, so that they can be submitted early. Not for a GPU with its own
/// memory: it sees the CPU's writes before a submission, but not always later writes.
inline bool can_submit_ahead(const Device &device) { return device.meeting.cpu; }

/// Allocates room for `count` batches. Returns false if the pool failed.
bool make_submissions(uint32_t count, MemoryPool &pool, Submissions &submissions);

/// Submits all batches; their command buffers and `awaits` must be set. A batch may only wait if can_submit_ahead().
bool submit(Device &device, Submissions &submissions, Reason &reason);
/// Submits one batch that waits for nothing.
bool submit(Device &device, const VkCommandBuffer &commands, Reason &reason);

/// Waits until the first `number` batches of the session are done.
bool wait_for(Device &device, uint64_t number, Reason &reason);
/// Sets the CPU's timeline to `word`.
bool signal(Device &device, uint64_t word, Reason &reason);

/// Ends all waits of batches for the CPU, then waits until the device is idle. Submitted objects may then be destroyed.
/// Returns false if the driver fails; the device's objects must then not be accessed any more.
bool drain(Device &device);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
