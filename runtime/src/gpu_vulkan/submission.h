// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Submits batches to the queue, and synchronizes CPU and GPU.
// Why: a GPU that gets its next batch only when the CPU is ready idles during the submission. With timelines, all
//      batches of a run are submitted at its beginning, and each waits on the device for a word of the CPU.
// How: each submitted batch has a number, counted over the session's life. The CPU's word is a number, too. Without
//      timelines or unified memory, one batch at a time is submitted when the CPU is ready for it.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H

#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

/// Batches of a run in Vulkan's structs. They are kept from run to run, so that submitting allocates nothing.
struct Submissions {
  VkSubmitInfo *infos;
  VkTimelineSemaphoreSubmitInfo *timelines;
  uint64_t *dones;  // Number of each batch.
  uint64_t *awaits; // Word of the CPU that each batch waits for; 0 for none.
  uint32_t count;
};

bool make_meeting(Device &device, Reason &reason);
void destroy_meeting(Device &device);

/// True if batches may wait for the CPU, so that they can be submitted early. A GPU with its own memory sees the CPU's
/// writes before a submission, but not always those after it.
inline bool can_submit_ahead(const Device &device) { return device.meeting.cpu; }

/// Allocates room for `count` batches. Returns false if the pool failed.
bool make_submissions(uint32_t count, MemoryPool &pool, Submissions &submissions);

/// Submits batches whose command buffers and `awaits` are set. Waits require can_submit_ahead.
bool submit(Device &device, Submissions &submissions, Reason &reason);
/// Submits one batch that waits for nothing.
bool submit(Device &device, const VkCommandBuffer &commands, Reason &reason);

/// Waits until all batches up to that number are done.
bool wait_for(Device &device, uint64_t number, Reason &reason);
/// Signals the CPU's word.
bool signal(Device &device, uint64_t word, Reason &reason);

/// Waits until the device is idle, after releasing all waits. Submitted objects may then be destroyed. Returns false if
/// the driver refuses even that; then nothing of the device may be accessed any more.
bool drain(Device &device);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
