// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which memory has the current bytes, if CPU and GPU have one each.
// Why: only bytes that the other engine has written must be copied, and only when they are needed.
// How: the layout is a sorted list of segments with their holders. Segments are split where an access begins or ends.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H

#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/plan/segments.h"

namespace nacre::runtime::gpu {

class Residence {
public:
  /// Begins with [0, bytes) in both memories.
  Residence(uint64_t bytes, MemoryPool &pool);

  /// Marks these bytes as current in the CPU's memory only.
  void put_on_cpu(uint64_t begin, uint64_t end) { set(begin, end, {0, 0, true, false}); }

  void put(uint64_t begin, uint64_t end, bool on_cpu, bool on_gpu) { set(begin, end, {0, 0, on_cpu, on_gpu}); }

  /// Calls `each(begin, end, on_cpu, on_gpu)` for each segment of these bytes.
  template <typename Each> void for_each(uint64_t begin, uint64_t end, Each each) {
    const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
    for (uint32_t i = first; i < last && !pool.failed(); ++i)
      each(segments[i].begin, segments[i + 1].begin, segments[i].on_cpu, segments[i].on_gpu);
  }

  /// Prepares the use of these bytes by one engine in a phase: copies the parts that it lacks. A launch may write only
  /// some of its bytes, so written bytes are copied, too.
  void use(uint64_t begin, uint64_t end, bool by_gpu, bool writes, uint32_t phase, Schedule &schedule);

  /// Copies these bytes to the CPU after the last phase.
  void bring_to_cpu(uint64_t begin, uint64_t end, Schedule &schedule);

private:
  struct Segment {
    uint64_t begin;      // The end is the begin of the next segment.
    uint32_t written_in; // Phase in which the GPU wrote it; its batch can copy it.
    bool on_cpu;
    bool on_gpu;
  };

  void set(uint64_t begin, uint64_t end, Segment holders);
  void fetch(uint64_t begin, uint64_t end, bool to_gpu, uint32_t phase, Schedule &schedule);

  MemoryPool &pool;
  List<Segment> segments = {};
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H
