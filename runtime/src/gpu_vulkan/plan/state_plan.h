// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the state's two copies for a run.
// Why: an operand may be in either copy, and some bytes must be copied first.
// How: see state_copies.h. The plan calls it for each launch, and for each part that a run decides about.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H

#include "runtime/src/gpu_vulkan/plan/layout.h"
#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

struct StatePlan {
  StatePlan(const nacre_entry &of, const Layout &in, MemoryPool &from)
      : entry(of), layout(in), pool(from), copies(from) {}

  /// Begins a run; must be called before the walk over it. Returns false if the run has too many executions.
  bool begin();
  /// Returns, for each operand of an execution of a launch, whether it is in the copy that the run writes. In the
  /// default case (nullptr), written operands are there, and operands that are only read are in the other copy.
  const bool *choose(uint32_t step, int64_t iteration, bool on_cpu);
  /// Prepares steps that a run decides about: they access the state only in the copy that the run writes.
  void take_over(uint32_t first, uint32_t end);

  const nacre_entry &entry;
  const Layout &layout;
  MemoryPool &pool;
  StateCopies copies;
  List<ByteRange> moves = {};         // Moves before the next part.
  List<ByteRange> wanted_by_cpu = {}; // Ranges of the previous run's state that the CPU reads.
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H
