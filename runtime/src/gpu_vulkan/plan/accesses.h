// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes the steps of an entry touch.
// Why: what may run beside what, and which copy of the state a launch is given, follows from it.
// How: of a loop that a run decides about, all iterations count.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_ACCESSES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_ACCESSES_H

#include "runtime/src/gpu_vulkan/plan/phases.h"

namespace nacre::runtime::gpu {

struct Access {
  uint64_t begin;
  uint64_t end;
  bool writes;
};

/// Calls `each(i, operand)` for the operands of a step that may be in somebody's way: weights are never written.
template <typename Each> void for_each_operand(const nacre_entry &entry, const nacre_step &step, Each each) {
  for (uint32_t i = 0; i < step.operand_count; ++i)
    if (const nacre_operand &operand = entry.operands[step.first_operand + i]; operand.space != NACRE_SPACE_WEIGHT)
      each(i, operand);
}

/// Calls `each(operand, last)` for the operands of the steps [first, end), with the number of the last iteration of the loop around
/// each. A run may execute fewer.
template <typename Each> void for_each_operand(const nacre_entry &entry, uint32_t first, uint32_t end, Each each) {
  int64_t iterations[1 + NACRE_MAX_LOOP_DEPTH] = {1};
  uint32_t depth = 0;
  for (uint32_t i = first; i < end; ++i) {
    const nacre_step &step = entry.steps[i];
    for_each_operand(entry, step,
                     [&](uint32_t, const nacre_operand &operand) { each(operand, iterations[depth] - 1); });
    if (step.kind == NACRE_STEP_LOOP_BEGIN)
      iterations[++depth] = step.trip_count;
    else if (step.kind == NACRE_STEP_LOOP_END)
      --depth;
  }
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_ACCESSES_H
