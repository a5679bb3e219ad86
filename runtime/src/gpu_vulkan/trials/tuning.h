// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what each launch took on each engine to who computes what.
// Why: kernel by kernel the best is not the best of all: each change of engine is a meeting.
// How: dynamic programming along the launches. Pure; no Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"

namespace nacre::runtime::gpu {

/// Who computes a launch.
enum Placement : uint8_t { OnCpu, OnGpu, Cut25, Cut50, Cut75, AsCompiled };
constexpr uint32_t kPlacements = 6;
/// A placement as nacre_session_options.gpu_cut.
constexpr uint32_t kCutOf[kPlacements] = {NACRE_GPU_CUT(0),  NACRE_GPU_CUT(100), NACRE_GPU_CUT(25),
                                          NACRE_GPU_CUT(50), NACRE_GPU_CUT(75),  0};

constexpr uint64_t kImpossible = UINT64_MAX;

/// What a launch takes, in nanoseconds of all its executions in a run.
struct Costs {
  uint64_t of[kPlacements]; // alone; of a cut with its meeting; kImpossible where it cannot be
  uint64_t to_gpu;          // what is added where the GPU begins to work alone: a meeting, and copies
  uint64_t to_cpu;          // where the CPU does after the GPU: copies
};

/// The placements whose sum is least; the sum. kImpossible if the pool failed.
uint64_t place(const Costs *costs, uint32_t count, MemoryPool &pool, Placement *placements);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_TUNING_H
