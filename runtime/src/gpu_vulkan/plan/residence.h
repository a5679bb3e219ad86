// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory holds the current bytes, where CPU and GPU have one each.
// Why: only what the other engine has written must be copied, and only when it is needed.
// How: the layout as a sorted list of segments, each with its holders; split where an access begins or ends.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_RESIDENCE_H

#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/plan/segments.h"

namespace nacre::runtime::gpu {

class Residence {
public:
  /// Both memories hold [0, bytes).
  Residence(uint64_t bytes, MemoryPool &pool);

  /// The CPU alone holds these bytes, from now on.
  void put_on_cpu(uint64_t begin, uint64_t end) { set(begin, end, {0, 0, true, false}); }

  void put(uint64_t begin, uint64_t end, bool on_cpu, bool on_gpu) { set(begin, end, {0, 0, on_cpu, on_gpu}); }

  /// Calls `each(begin, end, on_cpu, on_gpu)` for these bytes in pieces.
  template <typename Each> void for_each(uint64_t begin, uint64_t end, Each each) {
    const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
    for (uint32_t i = first; i < last && !pool.failed(); ++i)
      each(segments[i].begin, segments[i + 1].begin, segments[i].on_cpu, segments[i].on_gpu);
  }

  /// One engine is about to use these bytes in a phase: what it lacks is copied. A launch may write less than it is
  /// given, so what is written is fetched like what is read.
  void use(uint64_t begin, uint64_t end, bool by_gpu, bool writes, uint32_t phase, Schedule &schedule);

  /// The CPU needs these bytes after the last phase.
  void bring_to_cpu(uint64_t begin, uint64_t end, Schedule &schedule);

private:
  struct Segment {
    uint64_t begin;      // it ends where the next begins
    uint32_t written_in; // by the GPU: the phase whose batch can copy it
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
