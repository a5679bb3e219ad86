// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  walks an entry's steps in the order of execution, loops and all.
// Why:   a run on the CPU executes launches in this order, an engine beside it plans and records them in it.
// How:   loops are a stack of counters.

#ifndef NACRE_RUNTIME_SRC_STEPS_H
#define NACRE_RUNTIME_SRC_STEPS_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Calls `launch(step, iteration)` for each execution of a launch: the index of its step, and the turn of the innermost
/// loop around it. The plan has seen that loops are closed and not too deep.
template <typename Function> void walk_launches(const nacre_entry &entry, Function launch) {
  struct {
    uint32_t first;
    int64_t iteration;
  } loops[1 + NACRE_MAX_LOOP_DEPTH] = {}; // the first is the entry itself: one iteration
  uint32_t depth = 0;
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    auto &loop = loops[depth];
    switch (entry.steps[i].kind) {
    case NACRE_STEP_LAUNCH:
      launch(i, loop.iteration);
      break;
    case NACRE_STEP_LOOP_BEGIN:
      loops[++depth] = {i, 0};
      break;
    case NACRE_STEP_LOOP_END:
      if (++loop.iteration < entry.steps[loop.first].trip_count)
        i = loop.first;
      else
        --depth;
      break;
    }
  }
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STEPS_H
