// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the copy of the state to which each operand of a run is bound.
// Why: a run that fails must leave the state unchanged. Copying the whole state in each run takes longer than some
//      runs.
// How: a run only reads one copy. Launches write to the other copy, and later launches of the run read their results
//      there. If a launch writes only a part of a range, the range is first copied from the old copy. The state is a
//      sorted list of segments, which are split where an access begins or ends.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H

#include "runtime/src/gpu_vulkan/plan/segments.h"

namespace nacre::runtime::gpu {

/// Range of bytes of a state.
struct ByteRange {
  uint64_t begin;
  uint64_t end;
};

class StateCopies {
public:
  explicit StateCopies(MemoryPool &from) : pool(from) {}

  /// Sets the size of the state. Must be called first.
  void begin(uint64_t bytes);

  // --- Before the walk over a run: its writes.

  /// Adds a write by the step `writer`. `is_alone` is true if no byte of the range depends on another step or an
  /// earlier run.
  void note_write(uint64_t begin, uint64_t end, uint32_t writer, bool is_alone);

  // --- In the order of the run.

  /// Returns true if a launch must read [begin, end) in the copy that the run writes. Adds the necessary moves to
  /// `moves`.
  bool read(uint64_t begin, uint64_t end, List<ByteRange> &moves);

  /// Prepares a write of [begin, end) to the copy that the run writes. Adds the necessary moves to `moves`.
  void write(uint64_t begin, uint64_t end, List<ByteRange> &moves);

  /// Marks [begin, end) as written.
  void written(uint64_t begin, uint64_t end);

  /// Adds moves for those bytes of [begin, end) that the run writes, so that the copy that it writes contains them.
  /// This is needed before launches whose executions depend on data.
  void take_over(uint64_t begin, uint64_t end, List<ByteRange> &moves) { move(begin, end, moves, false); }

  /// Calls `each(begin, end)` for the bytes that a run writes.
  template <typename Each> void for_each_written(Each each) const {
    for (uint32_t i = 0; i + 1 < segments.count; ++i)
      if (segments[i].writer != kNobody)
        each(segments[i].begin, segments[i + 1].begin);
  }

private:
  static constexpr uint32_t kNobody = UINT32_MAX, kSeveral = UINT32_MAX - 1;

  struct Segment {
    uint64_t begin;  // The end is the begin of the next segment.
    uint32_t writer; // Step that writes the segment; kNobody if the run does not write it.
    bool is_new;     // True after the run has written or moved the segment.
  };

  void move(uint64_t begin, uint64_t end, List<ByteRange> &moves, bool only_shared);

  MemoryPool &pool;
  List<Segment> segments = {};
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H
