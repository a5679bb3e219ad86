// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the bytes that the steps of an entry access.
// Why: the accesses decide which parts may run at the same time, and which copy of the state a launch uses.
// How: if the number of a loop's iterations depends on data, the largest possible number counts.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_ACCESSES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_ACCESSES_H

#include "runtime/src/gpu_vulkan/plan/phases.h"

namespace nacre::runtime::gpu {

struct Access {
  uint64_t begin;
  uint64_t end;
  bool writes;
};

/// Calls `each(i, operand)` for each operand of a step that is not a weight. Weights cause no conflicts, because they
/// are never written.
template <typename Each> void for_each_operand(const nacre_entry &entry, const nacre_step &step, Each each) {
  for (uint32_t i = 0; i < step.operand_count; ++i)
    if (const nacre_operand &operand = entry.operands[step.first_operand + i]; operand.space != NACRE_SPACE_WEIGHT)
      each(i, operand);
}

/// Calls `each(operand, last)` for the operands of the steps [first, end). `last` is the index of the last iteration of
/// the loop around the step. A run may execute fewer iterations.
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
