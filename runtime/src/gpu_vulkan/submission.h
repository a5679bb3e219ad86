// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How batches reach the queue, and how CPU and GPU wait for each other.
// Why: a GPU that is told of its next batch only when the CPU is ready for it idles while it is told: with timelines
//      all batches of a run are submitted at its beginning, and each waits on the device for the CPU's word.
// How: one number per submitted batch, counted over the session's life; the CPU's word is a number too. Without
//      timelines or a memory in common there is one batch at a time, submitted when the CPU is ready for it.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H

#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

/// The batches of a run in Vulkan's words, kept from run to run so that submitting them allocates nothing.
struct Submissions {
  VkSubmitInfo *infos;
  VkTimelineSemaphoreSubmitInfo *timelines;
  uint64_t *dones;  // the number of each
  uint64_t *awaits; // the CPU's word that each waits for; 0 for none
  uint32_t count;
};

bool make_meeting(Device &device, Reason &reason);
void destroy_meeting(Device &device);

/// Whether batches may wait for the CPU, so that they can be submitted ahead. A GPU with a memory of its own sees what
/// the CPU writes into the host's memory up to a submission, but not always what it writes after it.
inline bool can_submit_ahead(const Device &device) { return device.meeting.cpu; }

/// Makes room for `count` batches. False if the pool failed.
bool make_submissions(uint32_t count, MemoryPool &pool, Submissions &submissions);

/// Submits batches, whose command buffers and `awaits` are set. The waits need can_submit_ahead.
bool submit(Device &device, Submissions &submissions, Reason &reason);
/// Submits one that waits for nothing.
bool submit(Device &device, const VkCommandBuffer &commands, Reason &reason);

/// Waits until batches up to that number are done.
bool wait_for(Device &device, uint64_t number, Reason &reason);
/// Gives the CPU's word.
bool signal(Device &device, uint64_t word, Reason &reason);

/// Waits until nothing is under way, whatever it waits for: what was submitted may then be destroyed. False where the
/// driver refuses even that, and nothing of the device may be touched any more.
bool drain(Device &device);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_SUBMISSION_H
