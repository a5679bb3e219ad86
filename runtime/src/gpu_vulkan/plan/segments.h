// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted list of segments of bytes. Each segment ends where the next one begins.
// Why: knowledge about bytes changes at the begin and end of accesses, which are different for each access.
// How: a segment is split where an access begins or ends. The last segment only marks the end.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SEGMENTS_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SEGMENTS_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"

namespace nacre::runtime::gpu {

/// Returns the index of the segment that begins at `at`, which must be within the list's range. If no segment begins
/// there, splits the one that contains `at`. The caller checks whether the pool failed.
template <typename Segment> uint32_t split(List<Segment> &segments, MemoryPool &pool, uint64_t at) {
  uint32_t low = 0, high = segments.count - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (segments[middle].begin < at)
      low = middle + 1;
    else
      high = middle;
  }
  if (segments[low].begin != at) {
    Segment part = segments[low - 1];
    part.begin = at;
    segments.insert(pool, low, part);
  }
  return low;
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SEGMENTS_H
