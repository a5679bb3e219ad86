// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives a placement from the time of each launch on each engine.
// Why: if each kernel ran where it is fastest, the engines would meet too often. Each change of the engine is a
//      meeting.
// How: dynamic programming along the launches. It is a pure function that does not call Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"

namespace nacre::runtime::gpu {

/// Engine of a launch, or its cut between both engines.
enum Placement : uint8_t { OnCpu, OnGpu, Cut25, Cut50, Cut75, AsCompiled };
constexpr uint32_t kPlacements = 6;
/// Values of nacre_session_options.gpu_cut for the placements.
constexpr uint32_t kCutOf[kPlacements] = {NACRE_GPU_CUT(0),  NACRE_GPU_CUT(100), NACRE_GPU_CUT(25),
                                          NACRE_GPU_CUT(50), NACRE_GPU_CUT(75),  0};

constexpr uint64_t kImpossible = UINT64_MAX;

/// Costs of a launch: nanoseconds of all its executions in a run.
struct Costs {
  // Costs without regard to the launches before and after, for each placement. A cut includes its meeting. kImpossible
  // if the placement is not possible.
  uint64_t of[kPlacements];
  uint64_t to_gpu; // Added if the GPU begins to work after the CPU: a meeting and copies.
  uint64_t to_cpu; // Added if the CPU works after the GPU, for copies.
};

/// Finds the placements with the smallest total cost. Returns this cost, or kImpossible if the pool failed.
uint64_t place(const Costs *costs, uint32_t count, MemoryPool &pool, Placement *placements);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H
