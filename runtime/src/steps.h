// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks an entry's steps in the order of execution, through loops, tests and branches.
// Why: a run on the CPU executes launches in this order. A GPU engine plans and records the launches that are known
//      before a run, and leaves the rest to the CPU.
// How: outside of loops, the steps are divided into stretches. A stretch is a launch, a loop that is the same in every
//      run, or steps that depend on data of the run.

#ifndef NACRE_RUNTIME_SRC_STEPS_H
#define NACRE_RUNTIME_SRC_STEPS_H

#include "runtime/src/launch.h"

namespace nacre::runtime {

struct Stretch {
  uint32_t end;
  bool decided; ///< True if a run decides how often its launches execute.
};

/// Returns the stretch that begins with step `first`, which must be outside of any loop.
Stretch stretch_at(const nacre_entry &entry, uint32_t first);

/// True if runs of the entry change the state.
inline bool writes_state(const nacre_entry &entry) { return entry.first_write < entry.step_count; }

/// Limits that may end a run before its last step, and the result of the run.
struct RunLimits {
  /// Largest number of iterations of a loop with a test. The loop then ends as if its test had failed.
  int64_t loop_limit;
  uint64_t iterations; ///< Remaining iterations of all loops together.
  uint32_t last_stop;  ///< Last step before which the run may end. Later steps write the state.
  nacre_status status; ///< NACRE_OK until the run is ended.
  uint32_t stopped_at; ///< Step before which the run ended.
};

/// True if the run continues with step `step`. Otherwise, `limits.status` tells why not.
bool goes_on(const Session &session, RunLimits &limits, uint32_t step);

/// Callbacks of a walk. They are function pointers, so that the walk is compiled only once.
struct Visitor {
  void *context;
  /// Called before each step; false ends the walk. If it is nullptr, all steps are visited.
  bool (*goes_on)(void *context, uint32_t step);
  /// Called for each execution of a launch, with the launch's step and the iteration of the innermost loop around it.
  void (*launch)(void *context, uint32_t step, int64_t iteration);
  /// Returns the data that decides where the run continues after `step`.
  const char *(*read)(void *context, const nacre_step &step, int64_t iteration);
  /// Called for a stretch [first, end) whose executions depend on data of the run.
  void (*decision)(void *context, uint32_t first, uint32_t end);
};

/// Visits each execution of a launch in the steps [first, end), which are whole stretches. A loop with a test ends
/// after `loop_limit` iterations. Returns false if the visitor ended the walk. The plan has checked that loops are
/// closed and not too deep.
bool walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t loop_limit, const Visitor &visitor);

/// Visits all stretches of the entry. Each stretch that depends on data of a run is one call of `decision`. All other
/// launches are visited for each execution.
void walk_stretches(const nacre_entry &entry, const Visitor &visitor);

/// Like walk_steps() above, but with functions `goes_on(step)`, `launch(step, iteration)` and `read(step, iteration)`
/// instead of a visitor.
template <typename GoesOn, typename Read, typename Launch>
bool walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t loop_limit, GoesOn goes_on, Read read,
                Launch launch) {
  struct All {
    GoesOn goes_on;
    Read read;
    Launch launch;
  } all = {goes_on, read, launch};
  return walk_steps(
      entry, first, end, loop_limit,
      {&all, [](void *context, uint32_t step) -> bool { return static_cast<All *>(context)->goes_on(step); },
       [](void *context, uint32_t step, int64_t iteration) { static_cast<All *>(context)->launch(step, iteration); },
       [](void *context, const nacre_step &step, int64_t iteration) -> const char * {
         return static_cast<All *>(context)->read(step, iteration);
       },
       nullptr});
}

/// Like walk_stretches() above, but with functions `launch(step, iteration)` and `decision(first, end)` instead of a
/// visitor. Returns false if launches execute more than `most` times; only the first `most` executions are visited.
template <typename Launch, typename Decision>
bool walk_stretches(const nacre_entry &entry, uint64_t most, Launch launch, Decision decision) {
  struct Both {
    Launch launch;
    Decision decision;
    uint64_t left; // Remaining executions, plus 1. At 0 there was an execution too many.
  } both = {launch, decision, most + 1};
  walk_stretches(
      entry, {&both, [](void *context, uint32_t) { return static_cast<Both *>(context)->left != 0; },
              [](void *context, uint32_t step, int64_t iteration) {
                auto *both = static_cast<Both *>(context);
                if (--both->left != 0)
                  both->launch(step, iteration);
              },
              nullptr,
              [](void *context, uint32_t first, uint32_t end) { static_cast<Both *>(context)->decision(first, end); }});
  return both.left != 0;
}

/// Adds an execution that began at `begin` and ends now to the profile of a run that began at `start`.
void time_launch(nacre_launch_time &time, uint64_t start, uint64_t begin);

/// Computes the steps [first, end), which are whole stretches, until a limit ends the run. `start` is the time at which
/// the run began, if there is a profile.
void run_steps(const Session &session, const Memory &memory, const Launch *launches, uint32_t first, uint32_t end,
               RunLimits &limits, uint64_t start);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STEPS_H
