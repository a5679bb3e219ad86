// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which memory has the current data, if CPU and GPU have separate memories.
// Why: data must be copied only if the other engine wrote it, and only when it is needed.
// How: a sorted list of segments covers the layout. Each segment tells which memories have its current data. Segments
//      are split where an access begins or ends.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H

#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/plan/segments.h"

namespace nacre::runtime::gpu {

class Residence {
public:
  /// Creates a list in which both memories have the current data of [0, bytes).
  Residence(uint64_t bytes, MemoryPool &pool);

  /// Marks [begin, end) as current in the CPU's memory only.
  void put_on_cpu(uint64_t begin, uint64_t end) { set(begin, end, {0, 0, true, false}); }

  void put(uint64_t begin, uint64_t end, bool on_cpu, bool on_gpu) { set(begin, end, {0, 0, on_cpu, on_gpu}); }

  /// Calls `each(begin, end, on_cpu, on_gpu)` for each segment of [begin, end).
  template <typename Each> void for_each(uint64_t begin, uint64_t end, Each each) {
    const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
    for (uint32_t i = first; i < last && !pool.failed(); ++i)
      each(segments[i].begin, segments[i + 1].begin, segments[i].on_cpu, segments[i].on_gpu);
  }

  /// Prepares the access of one engine to [begin, end) in a phase: adds copies of the segments that its memory lacks.
  /// Segments that the engine writes are also copied, because a launch may write only some of their bytes.
  void use(uint64_t begin, uint64_t end, bool by_gpu, bool writes, uint32_t phase, Schedule &schedule);

  /// Adds copies of [begin, end) to the CPU's memory after the last phase.
  void bring_to_cpu(uint64_t begin, uint64_t end, Schedule &schedule);

private:
  struct Segment {
    uint64_t begin;      // The end is the begin of the next segment.
    uint32_t written_in; // Phase in which the GPU wrote the segment. The batch of this phase can copy it.
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
