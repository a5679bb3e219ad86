// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements tuning.h. For each placement of the latest launch, `sums` has the smallest total cost of all launches so
// far. `from` has the previous launch's placement in this solution.

#include "runtime/src/gpu_vulkan/trials/tuning.h"

namespace nacre::runtime::gpu {

uint64_t place(const Costs *costs, uint32_t count, MemoryPool &pool, Placement *placements) {
  auto *from = pool.take_array<uint8_t>(uint64_t(count) * kPlacements);
  if (!from)
    return kImpossible;
  uint64_t sums[kPlacements];
  for (uint32_t p = 0; p < kPlacements; ++p)
    sums[p] = p == OnCpu ? 0 : kImpossible; // A run begins on the CPU.
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t next[kPlacements];
    for (uint32_t p = 0; p < kPlacements; ++p) {
      next[p] = kImpossible;
      for (uint32_t before = 0; before < kPlacements && costs[i].of[p] != kImpossible; ++before) {
        if (sums[before] == kImpossible)
          continue;
        const uint64_t change = p == OnGpu && before != OnGpu   ? costs[i].to_gpu
                                : p != OnGpu && before == OnGpu ? costs[i].to_cpu
                                                                : 0;
        const uint64_t sum = sums[before] + change + costs[i].of[p];
        if (sum < next[p]) {
          next[p] = sum;
          from[i * kPlacements + p] = uint8_t(before);
        }
      }
    }
    __builtin_memcpy(sums, next, sizeof sums);
  }
  uint32_t last = 0;
  for (uint32_t p = 1; p < kPlacements; ++p)
    if (sums[p] < sums[last])
      last = p;
  const uint64_t least = sums[last];
  for (uint32_t i = count; i-- > 0;) {
    placements[i] = Placement(last);
    last = from[i * kPlacements + last];
  }
  return least;
}

} // namespace nacre::runtime::gpu
