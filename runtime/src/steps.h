// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  walks an entry's steps in the order of execution, loops, tests and branches and all.
// Why:   a run on the CPU executes launches in this order; an engine beside it plans and records ahead what is known
//        before a run, and leaves to the CPU what is not.
// How:   loops are a stack of counters. Outside of loops the steps fall into stretches: a launch, or a loop that every
//        run goes through alike, or what goes as the bytes say that a run finds.

#ifndef NACRE_RUNTIME_SRC_STEPS_H
#define NACRE_RUNTIME_SRC_STEPS_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Whether what is executed after this step depends on bytes that a run finds. All such steps have a target.
inline bool decides(const nacre_step &step) {
  return step.kind == NACRE_STEP_LOOP_TEST || step.kind == NACRE_STEP_BRANCH_IF_ZERO || step.kind == NACRE_STEP_JUMP ||
         (step.kind == NACRE_STEP_LOOP_BEGIN && step.operand_count != 0);
}

struct Stretch {
  uint32_t end;
  bool decided; ///< By a run: how often its launches are executed.
};

/// The stretch that begins with step `first`, which is outside of any loop.
inline Stretch stretch_at(const nacre_entry &entry, uint32_t first) {
  Stretch stretch = {first + 1, false};
  uint32_t depth = 0;
  for (uint32_t i = first; i < stretch.end; ++i) {
    const nacre_step &step = entry.steps[i];
    depth += step.kind == NACRE_STEP_LOOP_BEGIN;
    depth -= step.kind == NACRE_STEP_LOOP_END;
    if (decides(step)) {
      stretch.decided = true;
      stretch.end = step.target > stretch.end ? step.target : stretch.end;
    }
    if (depth != 0 && stretch.end < i + 2)
      stretch.end = i + 2;
  }
  return stretch;
}

/// Calls `launch(step, iteration)` for each execution of a launch in the steps [first, end), which are whole stretches:
/// the index of its step, and the turn of the innermost loop around it. `read(step, iteration)` gives the bytes that a
/// step decides by. A loop that tests ends after `most_turns`. The plan has seen that loops are closed and not too deep.
template <typename Read, typename Function>
void walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t most_turns, Read read,
                Function launch) {
  struct {
    uint32_t first;
    int64_t iteration;
    int64_t turns;
  } loops[1 + NACRE_MAX_LOOP_DEPTH] = {}; // the first is the entry itself: one iteration
  uint32_t depth = 0;
  for (uint32_t i = first; i < end; ++i) {
    const nacre_step &step = entry.steps[i];
    auto &loop = loops[depth];
    switch (step.kind) {
    case NACRE_STEP_LAUNCH:
      launch(i, loop.iteration);
      break;
    case NACRE_STEP_LOOP_BEGIN: {
      int64_t turns = step.trip_count;
      if (step.operand_count != 0) {
        int64_t count;
        __builtin_memcpy(&count, read(step, loop.iteration), sizeof count);
        turns = count < turns ? count : turns;
      }
      if (turns > 0)
        loops[++depth] = {i, 0, turns};
      else
        i = step.target;
      break;
    }
    case NACRE_STEP_LOOP_TEST:
      if (*read(step, loop.iteration) == 0 || loop.iteration >= most_turns) {
        i = step.target;
        --depth;
      }
      break;
    case NACRE_STEP_LOOP_END:
      if (++loop.iteration < loop.turns)
        i = loop.first;
      else
        --depth;
      break;
    case NACRE_STEP_BRANCH_IF_ZERO:
      if (*read(step, loop.iteration) == 0)
        i = step.target - 1;
      break;
    case NACRE_STEP_JUMP:
      i = step.target - 1;
      break;
    }
  }
}

/// Calls `launch(step, iteration)` for each execution that every run has, and `decision(first, end)` for each stretch
/// that a run decides about.
template <typename Function, typename Decision>
void walk_stretches(const nacre_entry &entry, Function launch, Decision decision) {
  for (uint32_t first = 0; first < entry.step_count;) {
    const Stretch stretch = stretch_at(entry, first);
    if (stretch.decided)
      decision(first, stretch.end);
    else
      walk_steps(
          entry, first, stretch.end, 0, [](const nacre_step &, int64_t) { return (const char *)nullptr; }, launch);
    first = stretch.end;
  }
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STEPS_H
