// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see accesses.h.
// Why:   see there.
// How:   an operand moves with its loop by the same bytes in each turn.

#include "runtime/src/gpu_vulkan/plan/accesses.h"

namespace nacre::runtime::gpu {

Access access_of(const nacre_operand &operand, int64_t first, int64_t last, const Layout &layout) {
  const Region &region = region_of(layout, operand);
  const uint64_t region_end = region.begin + region.bytes;
  const int64_t least = operand.step < 0 ? last : first, most = operand.step < 0 ? first : last;
  const uint64_t begin = begin_of(layout, operand, least);
  // Of what the table does not say, the worst is assumed.
  const uint64_t end = operand.bytes ? begin_of(layout, operand, most) + operand.bytes : region_end;
  return {begin < region_end ? begin : region_end, end < region_end ? end : region_end, operand.access != NACRE_READ};
}

void collect(const nacre_entry &entry, const nacre_step &step, const Turns &turns, const Layout &layout,
             MemoryPool &pool, List<Access> &accesses) {
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = entry.operands[step.first_operand + i];
    // Weights are never written; and what the GPU never touches is in no one's way.
    if (operand.space == NACRE_SPACE_WEIGHT || !region_of(layout, operand).on_gpu)
      continue;
    const bool next =
        has_two_states(layout) && (turns.part ? is_next(*turns.part, i, operand) : operand.space == NACRE_SPACE_STATE);
    Access access = access_of(operand, turns.first, turns.last, layout);
    access.begin += next ? to_next_state(layout) : 0;
    access.end += next ? to_next_state(layout) : 0;
    accesses.add(pool, access);
  }
}

void collect_all(const nacre_entry &entry, uint32_t first, uint32_t end, const Layout &layout, MemoryPool &pool,
                 List<Access> &accesses) {
  int64_t turns[1 + NACRE_MAX_LOOP_DEPTH] = {1};
  uint32_t depth = 0;
  for (uint32_t i = first; i < end; ++i) {
    const nacre_step &step = entry.steps[i];
    collect(entry, step, {0, turns[depth] - 1, nullptr}, layout, pool, accesses);
    if (step.kind == NACRE_STEP_LOOP_BEGIN)
      turns[++depth] = step.trip_count;
    else if (step.kind == NACRE_STEP_LOOP_END)
      --depth;
  }
}

} // namespace nacre::runtime::gpu
