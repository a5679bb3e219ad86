// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements state_copies.h. Bytes that no step writes are equal in both copies, so either copy can be used for them.

#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

void StateCopies::begin(uint64_t bytes) {
  segments.add(pool, {0, kNobody, false});
  segments.add(pool, {bytes, kNobody, false}); // The last segment only marks the end. It never changes.
}

void StateCopies::note_write(uint64_t begin, uint64_t end, uint32_t writer, bool is_alone) {
  const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
  if (pool.failed())
    return;
  for (uint32_t i = first; i < last; ++i) {
    uint32_t &known = segments[i].writer;
    known = is_alone && (known == kNobody || known == writer) ? writer : kSeveral;
  }
}

/// Moves those bytes of [begin, end) that the run writes, but has not written yet. If `only_shared`, moves only bytes
/// that several steps write.
void StateCopies::move(uint64_t begin, uint64_t end, List<ByteRange> &moves, bool only_shared) {
  const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
  if (pool.failed())
    return;
  for (uint32_t i = first; i < last; ++i) {
    Segment &segment = segments[i];
    if (segment.is_new || segment.writer == kNobody || (only_shared && segment.writer != kSeveral))
      continue;
    segment.is_new = true;
    ByteRange *before = moves.count ? &moves[moves.count - 1] : nullptr;
    if (before && before->end == segment.begin)
      before->end = segments[i + 1].begin;
    else
      moves.add(pool, {segment.begin, segments[i + 1].begin});
  }
}

bool StateCopies::read(uint64_t begin, uint64_t end, List<ByteRange> &moves) {
  const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
  bool has_new = false;
  for (uint32_t i = first; i < last && !pool.failed(); ++i)
    has_new = has_new || segments[i].is_new;
  if (has_new)
    move(begin, end, moves, false);
  return has_new;
}

void StateCopies::write(uint64_t begin, uint64_t end, List<ByteRange> &moves) { move(begin, end, moves, true); }

void StateCopies::written(uint64_t begin, uint64_t end) {
  const uint32_t first = split(segments, pool, begin), last = split(segments, pool, end);
  for (uint32_t i = first; i < last && !pool.failed(); ++i)
    segments[i].is_new = true;
}

} // namespace nacre::runtime::gpu
