// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the two copies of a state each operand of a run is bound to.
// Why: a run that fails must leave the state as it was, and copying all of it in each run takes longer than some runs.
// How: one copy is only read; what a launch writes goes to the other, and what reads it afterwards finds it there. What
//      a run would leave half written is copied first. The state as a sorted list of segments, split where an access
//      begins or ends.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H

#include "runtime/src/gpu_vulkan/plan/segments.h"

namespace nacre::runtime::gpu {

/// Bytes of a state.
struct ByteRange {
  uint64_t begin;
  uint64_t end;
};

class StateCopies {
public:
  explicit StateCopies(MemoryPool &from) : pool(from) {}

  /// Begins with a state of so many bytes. Must be called first.
  void begin(uint64_t bytes);

  // --- Before the walk over a run: what it will write.

  /// `writer` tells steps apart. `is_alone`: it leaves no byte that another step or an earlier run has to have written.
  void note_write(uint64_t begin, uint64_t end, uint32_t writer, bool is_alone);

  // --- In the order of the run.

  /// Whether a launch finds these bytes in the copy that the run writes. Adds to `moves` what must be copied there first.
  bool read(uint64_t begin, uint64_t end, List<ByteRange> &moves);

  /// A launch is about to write these bytes, there. Adds to `moves` what must be copied first.
  void write(uint64_t begin, uint64_t end, List<ByteRange> &moves);

  /// The launch has written them.
  void written(uint64_t begin, uint64_t end);

  /// Moves all of these bytes that the run writes to the copy that it writes, for a part of the run whose launches no plan knows.
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
    uint64_t begin;  // it ends where the next begins
    uint32_t writer; // of the run
    bool is_new;     // the run has written or moved it
  };

  void move(uint64_t begin, uint64_t end, List<ByteRange> &moves, bool only_shared);

  MemoryPool &pool;
  List<Segment> segments = {};
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_STATE_COPIES_H
