// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see state_plan.h.
// Why:   see there.
// How:   before the walk, what the run writes is noted; in it, reads come before the writes of the same launch.

#include "runtime/src/gpu_vulkan/plan/state_plan.h"
#include "runtime/src/gpu_vulkan/plan/accesses.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

bool begin(StatePlan &plan) {
  const nacre_entry &entry = plan.entry;
  const Layout &layout = plan.layout;
  plan.copies.begin(layout.state.bytes);
  const uint64_t state = layout.state.begin;
  auto note = [&](const nacre_operand &operand, int64_t first, int64_t last, uint32_t step, bool is_alone) {
    if (operand.space != NACRE_SPACE_STATE || operand.access == NACRE_READ)
      return;
    const Access access = access_of(operand, first, last, layout, false);
    plan.copies.note_write(access.begin - state, access.end - state, step,
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

ByteRange in_state(const StatePlan &plan, const nacre_operand &operand, int64_t first, int64_t last) {
  const Access access = access_of(operand, first, last, plan.layout, false);
  return {access.begin - plan.layout.state.begin, access.end - plan.layout.state.begin};
}

const bool *choose(StatePlan &plan, uint32_t step, int64_t iteration, bool on_cpu) {
  bool *next = nullptr;
  const nacre_step &launch = plan.entry.steps[step];
  auto for_each_of_state = [&](bool writes, auto each) {
    for_each_operand(plan.entry, launch, [&](uint32_t i, const nacre_operand &operand) {
      if (operand.space == NACRE_SPACE_STATE && (operand.access != NACRE_READ) == writes)
        each(i, in_state(plan, operand, iteration, iteration));
    });
  };
  for_each_of_state(false, [&](uint32_t i, ByteRange bytes) {
    if (plan.copies.read(bytes.begin, bytes.end, plan.moves)) {
      next = next ? next : plan.pool.take_array<bool>(launch.operand_count);
      if (next)
        next[i] = true;
    } else if (on_cpu) {
      plan.wanted_by_cpu.add(plan.pool, bytes);
    }
  });
  for_each_of_state(true, [&](uint32_t i, ByteRange bytes) {
    plan.copies.write(bytes.begin, bytes.end, plan.moves);
    if (next)
      next[i] = true;
  });
  for_each_of_state(true, [&](uint32_t, ByteRange bytes) { plan.copies.written(bytes.begin, bytes.end); });
  return next;
}

void take_over(StatePlan &plan, uint32_t first, uint32_t end) {
  for_each_operand(plan.entry, first, end, [&](const nacre_operand &operand, int64_t last) {
    if (operand.space != NACRE_SPACE_STATE)
      return;
    const ByteRange bytes = in_state(plan, operand, 0, last);
    plan.copies.take_over(bytes.begin, bytes.end, plan.moves);
  });
}

} // namespace

const StateRules state_rules = {begin, choose, take_over};

} // namespace nacre::runtime::gpu
