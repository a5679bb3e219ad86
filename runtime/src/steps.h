// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  walks an entry's steps in the order of execution, loops, tests and branches and all.
// Why:   a run on the CPU executes launches in this order; an engine beside it plans and records ahead what is known
//        before a run, and leaves to the CPU what is not.
// How:   see steps.cpp. Outside of loops the steps fall into stretches: a launch, or a loop that every
//        run goes through alike, or what goes as the bytes say that a run finds.

#ifndef NACRE_RUNTIME_SRC_STEPS_H
#define NACRE_RUNTIME_SRC_STEPS_H

#include "runtime/src/launch.h"

namespace nacre::runtime {

struct Stretch {
  uint32_t end;
  bool decided; ///< By a run: how often its launches are executed.
};

/// The stretch that begins with step `first`, which is outside of any loop.
Stretch stretch_at(const nacre_entry &entry, uint32_t first);

/// Whether runs of the entry change the state.
inline bool writes_state(const nacre_entry &entry) { return entry.first_write < entry.step_count; }

/// What may end a run before its last step.
struct RunLimits {
  int64_t loop_limit;  ///< The most iterations of a loop with a test; then it ends as if its test had said so.
  uint64_t iterations; ///< Of all loops together, that may still end.
  uint32_t last_stop;  ///< From the step after this one on nothing ends the run: it writes the state.
  nacre_status status; ///< Not NACRE_OK once the run has been ended,
  uint32_t stopped_at; ///< before this step.
};

/// Whether the run goes on with this step. If not, the limits say why.
bool goes_on(const Session &session, RunLimits &limits, uint32_t step);

/// What a walk calls; function pointers, so that there is one walk in the code and not one for each caller.
struct Visitor {
  void *context;
  /// Asked before each step; false ends the walk. May be nullptr: then all steps are visited.
  bool (*goes_on)(void *context, uint32_t step);
  /// An execution of a launch: the index of its step, and the iteration of the innermost loop around it.
  void (*launch)(void *context, uint32_t step, int64_t iteration);
  /// The bytes that a step decides by.
  const char *(*read)(void *context, const nacre_step &step, int64_t iteration);
  /// A stretch that a run decides about.
  void (*decision)(void *context, uint32_t first, uint32_t end);
};

/// Visits each execution of a launch in the steps [first, end), which are whole stretches. A loop that tests ends after
/// `loop_limit` iterations. False if the visitor ended it. The plan has seen that loops are closed and not too deep.
bool walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t loop_limit, const Visitor &visitor);

/// Visits each execution that every run has, and each decision as a whole.
void walk_stretches(const nacre_entry &entry, const Visitor &visitor);

/// As above, for functions `goes_on(step)`, `launch(step, iteration)` and `read(step, iteration)`.
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

/// As above, for functions `launch(step, iteration)` and `decision(first, end)`. False if there are more than `most`
/// executions, of which it visits only so many.
template <typename Launch, typename Decision>
bool walk_stretches(const nacre_entry &entry, uint64_t most, Launch launch, Decision decision) {
  struct Both {
    Launch launch;
    Decision decision;
    uint64_t left; // 0: one more was met
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

/// Of the profile of a run.
void time_launch(nacre_launch_time &time, uint64_t start, uint64_t begin);

/// Computes the stretches [first, end) with these launches, as far as the limits let it. `start`: when the run began,
/// where there is a profile.
void run_steps(const Session &session, const Memory &memory, const Launch *launches, uint32_t first, uint32_t end,
               RunLimits &limits, uint64_t start);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STEPS_H
