// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements state_plan.h. The writes of a run are collected before the walk. Within a launch, reads come before
// writes. With two memories, the plan depends on where the previous run left the state, so there are two walks.

#include "runtime/src/gpu_vulkan/plan/state_plan.h"
#include "runtime/src/gpu_vulkan/plan/walk.h"
#include "runtime/src/slot_functions.h"

namespace nacre::runtime::gpu {
bool StatePlan::begin() {
  copies.begin(layout.state.bytes);
  const uint64_t state = layout.state.begin;
  auto note = [&](const nacre_operand &operand, int64_t first, int64_t last, uint32_t step, bool is_alone) {
    if (operand.space != NACRE_SPACE_STATE || operand.access == NACRE_READ)
      return;
    const Access access = access_of(operand, first, last, layout);
    copies.note_write(access.begin - state, access.end - state, step,
                      is_alone && operand.access == NACRE_WRITE && operand.bytes != 0);
  };
  return walk_stretches(
      entry, kMaxExecutions,
      [&](uint32_t step, int64_t iteration) {
        for_each_operand(entry, entry.steps[step], [&](uint32_t, const nacre_operand &operand) {
          note(operand, iteration, iteration, step, true);
        });
      },
      [&](uint32_t first, uint32_t end) {
        for_each_operand(entry, first, end,
                         [&](const nacre_operand &operand, int64_t last) { note(operand, 0, last, first, false); });
      });
}

static ByteRange in_state(const StatePlan &plan, const nacre_operand &operand, int64_t first, int64_t last) {
  const Access access = access_of(operand, first, last, plan.layout);
  return {access.begin - plan.layout.state.begin, access.end - plan.layout.state.begin};
}

const bool *StatePlan::choose(uint32_t step, int64_t iteration, bool on_cpu) {
  bool *next = nullptr;
  const nacre_step &launch = entry.steps[step];
  auto for_each_of_state = [&](bool writes, auto each) {
    for_each_operand(entry, launch, [&](uint32_t i, const nacre_operand &operand) {
      if (operand.space == NACRE_SPACE_STATE && (operand.access != NACRE_READ) == writes)
        each(i, in_state(*this, operand, iteration, iteration));
    });
  };
  for_each_of_state(false, [&](uint32_t i, ByteRange bytes) {
    if (copies.read(bytes.begin, bytes.end, moves)) {
      next = next ? next : pool.take_array<bool>(launch.operand_count);
      if (next)
        next[i] = true;
    } else if (on_cpu) {
      wanted_by_cpu.add(pool, bytes);
    }
  });
  for_each_of_state(true, [&](uint32_t i, ByteRange bytes) {
    copies.write(bytes.begin, bytes.end, moves);
    if (next)
      next[i] = true;
  });
  for_each_of_state(true, [&](uint32_t, ByteRange bytes) { copies.written(bytes.begin, bytes.end); });
  return next;
}

void StatePlan::take_over(uint32_t first, uint32_t end) {
  for_each_operand(entry, first, end, [&](const nacre_operand &operand, int64_t last) {
    if (operand.space != NACRE_SPACE_STATE)
      return;
    const ByteRange bytes = in_state(*this, operand, 0, last);
    copies.take_over(bytes.begin, bytes.end, moves);
  });
}

} // namespace nacre::runtime::gpu

namespace nacre::runtime {
using namespace gpu;

bool plan_phases_and_state(const nacre_entry &entry, const Share *shares, const Layout &layout, bool unified,
                           MemoryPool &pool, Schedule &schedule) {
  const bool depends = !unified && has_two_states(layout) && layout.state.on_gpu;
  List<Left> left = {};
  for (int walks = depends ? 2 : 1; walks > 0; --walks) {
    schedule = {};
    StatePlan states(entry, layout, pool);
    Walk<true> walk(entry, shares, layout, has_two_states(layout) ? &states : nullptr, unified, pool, schedule);
    if (pool.failed() || !walk.run(left))
      return false;
    left.count = 0;
    walk.end_run(!unified, left);
  }
  for (const Left &piece : left)
    schedule.written.add(pool, {piece.begin, piece.end, piece.on_cpu});
  // The CPU copies whole states into its memory, and may access either copy. So this memory has room for both.
  const Region &last = has_two_states(layout) ? layout.next_state : layout.state;
  if (!unified && last.on_gpu && schedule.cpu_bytes > layout.state.begin)
    schedule.cpu_bytes = last.begin + last.bytes;
  return !pool.failed();
}

} // namespace nacre::runtime
