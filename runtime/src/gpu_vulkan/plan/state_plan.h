// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the use of the state's two copies in a run.
// Why: an operand may be in either copy, and some bytes must be copied before a launch.
// How: see state_copies.h. The walk calls this class for each launch, and for each stretch that depends on data of the
//      run.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H

#include "runtime/src/gpu_vulkan/plan/layout.h"
#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

struct StatePlan {
  StatePlan(const nacre_entry &of, const Layout &in, MemoryPool &from)
      : entry(of), layout(in), pool(from), copies(from) {}

  /// Collects the writes of a run; must be called before the walk over the run. Returns false if the run has too many
  /// executions.
  bool begin();
  /// Returns an array with one element for each operand of an execution of a launch: true if the operand is in the copy
  /// that the run writes. Returns nullptr if exactly the written operands are in that copy.
  const bool *choose(uint32_t step, int64_t iteration, bool on_cpu);
  /// Prepares the steps [first, end), which depend on data of the run. They access the state only in the copy that the
  /// run writes.
  void take_over(uint32_t first, uint32_t end);

  const nacre_entry &entry;
  const Layout &layout;
  MemoryPool &pool;
  StateCopies copies;
  List<ByteRange> moves = {};         // Moves that must happen before the next part.
  List<ByteRange> wanted_by_cpu = {}; // Ranges that the CPU reads in the state that the previous run wrote.
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_PLAN_H
