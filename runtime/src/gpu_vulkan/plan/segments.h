// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are told apart: a sorted list of segments, each of which ends where the next begins.
// Why: what is known of bytes changes where accesses begin and end, and accesses differ in that.
// How: a segment is split where something begins or ends; the last one only marks the end.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SEGMENTS_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SEGMENTS_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"

namespace nacre::runtime::gpu {

/// Returns the segment that begins at `at`, which must lie within the bytes. Creates it if needed. Ask the pool whether it failed.
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
