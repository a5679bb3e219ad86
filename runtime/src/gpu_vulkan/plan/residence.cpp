// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements residence.h. The batch that uses bytes on the GPU contains the copy to the GPU. The batch that wrote bytes
// contains the copy to the CPU, because the CPU does not access them in that phase.

#include "runtime/src/gpu_vulkan/plan/residence.h"

namespace nacre::runtime::gpu {

Residence::Residence(uint64_t bytes, MemoryPool &from) : pool(from) {
  segments.add(pool, {0, 0, true, true});
  segments.add(pool, {bytes, 0, true, true}); // The last segment only marks the end. It never changes.
}

void Residence::set(uint64_t begin, uint64_t end, Segment holders) {
  if (begin == end || pool.failed())
    return;
  const uint32_t first = split(segments, pool, begin);
  const uint32_t last = split(segments, pool, end);
  if (pool.failed())
    return;
  holders.begin = begin;
  segments[first] = holders;
  // The range becomes one segment, so the other segments inside are removed.
  __builtin_memmove(segments.begin() + first + 1, segments.begin() + last, (segments.count - last) * sizeof(Segment));
  segments.count -= last - first - 1;
}

void Residence::fetch(uint64_t begin, uint64_t end, bool to_gpu, uint32_t phase, Schedule &schedule) {
  if (begin == end || pool.failed())
    return;
  const uint32_t first = split(segments, pool, begin);
  const uint32_t last = split(segments, pool, end);
  if (pool.failed())
    return;
  List<Copy> &copies = to_gpu ? schedule.uploads : schedule.downloads;
  for (uint32_t i = first; i < last; ++i) {
    Segment &segment = segments[i];
    if (to_gpu ? segment.on_gpu : segment.on_cpu)
      continue;
    const Copy copy = {to_gpu ? phase : segment.written_in, segment.begin, segments[i + 1].begin};
    segment.on_cpu = segment.on_gpu = true;
    schedule.reach(copy.end);
    Copy *before = copies.count ? &copies[copies.count - 1] : nullptr;
    if (before && before->phase == copy.phase && before->end == copy.begin)
      before->end = copy.end;
    else
      copies.add(pool, copy);
  }
}

void Residence::use(uint64_t begin, uint64_t end, bool by_gpu, bool writes, uint32_t phase, Schedule &schedule) {
  fetch(begin, end, by_gpu, phase, schedule);
  if (writes)
    set(begin, end, {0, phase, !by_gpu, by_gpu});
}

void Residence::bring_to_cpu(uint64_t begin, uint64_t end, Schedule &schedule) {
  fetch(begin, end, false, 0, schedule);
}

} // namespace nacre::runtime::gpu
