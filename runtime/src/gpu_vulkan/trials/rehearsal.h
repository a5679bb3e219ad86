// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single launches on the GPU at create, on the bytes that they will meet in a run.
// Why: whether a kernel is right, and how long it takes, cannot be told on bytes of any kind: an index must be one.
// How: the CPU computes the whole entry in the session's block, from inputs made of a seed; on the way the operands of
//      a launch are copied to where the GPU has them, and the launch is tried there.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H

#include "runtime/src/gpu_vulkan/engine.h"

namespace nacre::runtime::gpu {

struct Rehearsal {
  Engine &engine;
  Reason &reason;
  VkCommandBuffer commands;
  VkDescriptorSet sets[kMaxBindings + 1]; // by number of bindings
};

/// Makes memory for all that the shares give the GPU, and fills the inputs. The shares may then change to other code of
/// the same kernels. drop_plan undoes it.
bool open(Rehearsal &rehearsal);

/// Copies the part's operands from the session's block to where the GPU's memory is seen by the CPU.
void bring(Rehearsal &rehearsal, const Part &part);

/// Records the GPU's share of a part, `times` over; with the copies between memories, if they are two, or without.
bool record(Rehearsal &rehearsal, const Part &part, uint32_t times, bool copies);

/// Submits what was recorded, without or with waiting.
bool begin(Rehearsal &rehearsal);
bool end(Rehearsal &rehearsal);

/// Whether what the GPU has made of the part's operands agrees with the session's block.
bool agrees(const Rehearsal &rehearsal, const Part &part);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H
