// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs single launches on the GPU while a session is created, with realistic data.
// Why: a kernel cannot be tested or measured with arbitrary bytes. For example, an index must be valid.
// How: the CPU computes the whole entry in the session's block, from pseudo-random inputs. Before a launch, its
//      operands are copied to the GPU's memory, and the launch is tried there.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H

#include "runtime/src/gpu_vulkan/engine.h"

namespace nacre::runtime::gpu {

struct Rehearsal {
  Engine &engine;
  Reason &reason;
  VkCommandBuffer commands;
  VkDescriptorSet sets[kMaxBindings + 1]; // The descriptor set for each number of bindings.
};

/// Allocates memory for all GPU shares and fills the inputs. The shares may then change to other variants of the same
/// kernels. drop_plan() undoes it.
bool open(Rehearsal &rehearsal);

/// Copies the part's operands from the session's block to the memory that the CPU and the GPU access.
void bring(Rehearsal &rehearsal, const Part &part);

/// Records the GPU's share of a part `times` times. With `copies`, also records the copies between two memories.
bool record(Rehearsal &rehearsal, const Part &part, uint32_t times, bool copies);

/// Submits the recorded commands; end() waits for them.
bool begin(Rehearsal &rehearsal);
bool end(Rehearsal &rehearsal);

/// True if the GPU's results of the part agree with those in the session's block.
bool agrees(const Rehearsal &rehearsal, const Part &part);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_REHEARSAL_H
