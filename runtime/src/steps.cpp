// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements steps.h. Open loops are a stack of counters. A step with a target may continue the walk at the target.

#include "runtime/src/steps.h"
#include "runtime/src/session.h"

namespace nacre::runtime {

Stretch stretch_at(const nacre_entry &entry, uint32_t first) {
  Stretch stretch = {first + 1, false};
  uint32_t depth = 0;
  for (uint32_t i = first; i < stretch.end; ++i) {
    const nacre_step &step = entry.steps[i];
    depth += step.kind == NACRE_STEP_LOOP_BEGIN;
    depth -= step.kind == NACRE_STEP_LOOP_END;
    // A step with a target depends on data of the run. It is a branch, a test, or a loop whose number of iterations is
    // data.
    if (step.target != 0) {
      stretch.decided = true;
      stretch.end = step.target > stretch.end ? step.target : stretch.end;
    }
    if (depth != 0 && stretch.end < i + 2)
      stretch.end = i + 2;
  }
  return stretch;
}

bool walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t loop_limit, const Visitor &visitor) {
  struct {
    uint32_t first;
    int64_t iteration;
    int64_t iterations;
  } loops[1 + NACRE_MAX_LOOP_DEPTH]; // The first element stands for the entry, with one iteration.
  loops[0] = {0, 0, 1};
  uint32_t depth = 0;
  for (uint32_t i = first; i < end; ++i) {
    const nacre_step &step = entry.steps[i];
    auto &loop = loops[depth];
    if (visitor.goes_on && !visitor.goes_on(visitor.context, i))
      return false;
    const char *decides = step.kind != NACRE_STEP_LAUNCH && step.operand_count
                              ? visitor.read(visitor.context, step, loop.iteration)
                              : nullptr;
    switch (step.kind) {
    case NACRE_STEP_LAUNCH:
      visitor.launch(visitor.context, i, loop.iteration);
      break;
    case NACRE_STEP_LOOP_BEGIN: {
      int64_t iterations = step.trip_count;
      if (decides) {
        int64_t count;
        __builtin_memcpy(&count, decides, sizeof count);
        iterations = count < iterations ? count : iterations;
      }
      if (iterations > 0)
        loops[++depth] = {i, 0, iterations};
      else
        i = step.target;
      break;
    }
    case NACRE_STEP_LOOP_END:
      if (++loop.iteration < loop.iterations)
        i = loop.first;
      else
        --depth;
      break;
    case NACRE_STEP_LOOP_TEST:
      if (*decides == 0 || loop.iteration >= loop_limit) {
        i = step.target;
        --depth;
      }
      break;
    default: // A branch, or an unconditional jump.
      if (!decides || *decides == 0)
        i = step.target - 1;
    }
  }
  return true;
}

void walk_stretches(const nacre_entry &entry, const Visitor &visitor) {
  for (uint32_t first = 0; first < entry.step_count;) {
    const Stretch stretch = stretch_at(entry, first);
    if (stretch.decided)
      visitor.decision(visitor.context, first, stretch.end);
    else if (!walk_steps(entry, first, stretch.end, 0, visitor))
      return;
    first = stretch.end;
  }
}

void time_launch(nacre_launch_time &time, uint64_t start, uint64_t begin) {
  time.cpu_total += now() - begin;
  if (time.executions++ == 0)
    time.begin = begin - start;
}

bool goes_on(const Session &session, RunLimits &limits, uint32_t step) {
  if (limits.status != NACRE_OK || step > limits.last_stop)
    return limits.status == NACRE_OK;
  const bool ends_iteration = session.view.entry->steps[step].kind == NACRE_STEP_LOOP_END;
  if (is_run_cancelled(session))
    limits.status = NACRE_CANCELLED;
  else if (ends_iteration && limits.iterations-- == 0)
    limits.status = NACRE_TOO_MANY_ITERATIONS;
  limits.stopped_at = step;
  return limits.status == NACRE_OK;
}

void run_steps(const Session &session, const Memory &memory, const Launch *launches, uint32_t first, uint32_t end,
               RunLimits &limits, uint64_t start) {
  const nacre_entry &entry = *session.view.entry;
  auto read = [&](const nacre_step &step, int64_t iteration) {
    const nacre_operand &operand = entry.operands[step.first_operand];
    return address_of(session, memory, operand) + operand.step * iteration;
  };
  auto next = [&](uint32_t step) { return goes_on(session, limits, step); };
  walk_steps(entry, first, end, limits.loop_limit, next, read, [&](uint32_t step, int64_t iteration) {
    const uint64_t begin = session.view.times ? now() : 0;
    run_launch(session, memory, entry.steps[step], launches[step], iteration);
    if (session.view.times)
      time_launch(session.view.times[step], start, begin);
  });
}

} // namespace nacre::runtime
