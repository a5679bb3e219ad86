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

/// What a walk calls; function pointers, so that there is one walk in the code and not one for each caller.
struct Visitor {
  void *context;
  /// An execution of a launch: the index of its step, and the turn of the innermost loop around it.
  void (*launch)(void *context, uint32_t step, int64_t iteration);
  /// The bytes that a step decides by.
  const char *(*read)(void *context, const nacre_step &step, int64_t iteration);
  /// A stretch that a run decides about.
  void (*decision)(void *context, uint32_t first, uint32_t end);
};

/// Visits each execution of a launch in the steps [first, end), which are whole stretches. A loop that tests ends after
/// `most_turns`. The plan has seen that loops are closed and not too deep.
void walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t most_turns, const Visitor &visitor);

/// Visits each execution that every run has, and each decision as a whole.
void walk_stretches(const nacre_entry &entry, const Visitor &visitor);

/// As above, for functions `launch(step, iteration)` and `read(step, iteration)`.
template <typename Read, typename Launch>
void walk_steps(const nacre_entry &entry, uint32_t first, uint32_t end, int64_t most_turns, Read read, Launch launch) {
  struct Both {
    Read read;
    Launch launch;
  } both = {read, launch};
  walk_steps(
      entry, first, end, most_turns,
      {&both,
       [](void *context, uint32_t step, int64_t iteration) { static_cast<Both *>(context)->launch(step, iteration); },
       [](void *context, const nacre_step &step, int64_t iteration) -> const char * {
         return static_cast<Both *>(context)->read(step, iteration);
       },
       nullptr});
}

/// As above, for functions `launch(step, iteration)` and `decision(first, end)`.
template <typename Launch, typename Decision>
void walk_stretches(const nacre_entry &entry, Launch launch, Decision decision) {
  struct Both {
    Launch launch;
    Decision decision;
  } both = {launch, decision};
  walk_stretches(
      entry,
      {&both,
       [](void *context, uint32_t step, int64_t iteration) { static_cast<Both *>(context)->launch(step, iteration); },
       nullptr,
       [](void *context, uint32_t first, uint32_t end) { static_cast<Both *>(context)->decision(first, end); }});
}

/// Of the profile of a run.
void time_launch(nacre_launch_time &time, uint64_t start, uint64_t begin);

/// Computes the stretches [first, end) with these launches. `start`: when the run began, where there is a profile.
void run_steps(const Session &session, const Memory &memory, const Launch *launches, uint32_t first, uint32_t end,
               int64_t most_turns, uint64_t start);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STEPS_H
