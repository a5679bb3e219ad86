// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the self-test and the tuning have in common: what they know so far, and their way through an entry.
// Why: one rehearsal serves both, and tuning must not choose what the test has found wrong.
// How: a struct that create fills; whatever is found bars code or changes wishes.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_MEASURING_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_MEASURING_H

#include "runtime/src/gpu_vulkan/trials/rehearsal.h"
#include "runtime/src/gpu_vulkan/trials/tuning.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {

enum Verdict : uint8_t { Untested, Right, Wrong };

/// Of a kernel.
struct Times {
  bool known;
  uint32_t variant; // 1 + the GPU's fastest
  uint64_t of[kPlacements];
};

/// What the tests and times are kept in while they are made.
struct Measuring {
  Engine &engine;
  Reason &reason;
  const nacre_session_options &options;
  uint64_t cpu_features;
  uint8_t *verdicts; // of all code
  bool *in_use;      // of the kernels: the app's GPU shares
  bool tries_all;    // whatever is in use
  bool *seen;        // of the kernels, in a walk
  Times *times;      // of the kernels
  uint64_t budget;
  uint64_t deadline;  // of what is left of the budget for single kernels
  uint64_t meeting;   // what it takes to submit nothing and to wait for it
  double nanoseconds; // that a byte takes from memory to memory; 0 where there is one

  /// For one figure: no kernel is to use up what all have.
  uint64_t patience() const { return budget / 64; }
};

inline uint32_t index_of(const Engine &engine, const Code &code) {
  return engine.pipelines.first[code.kernel] + code.variant;
}

inline void compute_on_cpu(const Session &session, const Part &part) {
  run_launch(session, session.memory, session.entry->steps[part.step], session.launches[part.step], part.iteration);
}

/// While inputs are made up, nobody knows whether a loop would ever end with them: one that tests has few iterations, and all
/// together as many as can be recorded.
inline RunLimits trial_limits() { return {16, kMaxExecutions, UINT32_MAX, NACRE_OK, 0}; }

/// Computes what a run decides about.
inline void compute_decided(const Session &session, uint32_t first, uint32_t end) {
  RunLimits limits = trial_limits();
  run_steps(session, session.memory, session.launches, first, end, limits, 0);
}

/// Computes the entry on the CPU. `each(part, first)` computes a launch; `first`: of a kernel that the GPU has code
/// for.
template <typename Function> bool walk(Measuring &measuring, Function each) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  __builtin_memset(measuring.seen, 0, session.model->kernel_count);
  nacre_state_reset(&session.state->head, NACRE_STATE_ALL);
  bool good = true;
  auto compute = [&](uint32_t step, int64_t iteration) {
    bool &seen = measuring.seen[session.entry->steps[step].kernel];
    const bool first = !seen && engine.shares[step].on_gpu();
    seen |= first;
    good = good && each(Part{step, false, iteration, nullptr}, first);
  };
  walk_stretches(*session.entry, kMaxExecutions, compute,
                 [&session](uint32_t first, uint32_t end) { compute_decided(session, first, end); });
  return good;
}

/// Sets the step's share for a trial. False where it does not come out as asked.
bool wish_for(Measuring &measuring, const Part &part, Placement placement, uint32_t variant);

/// Until all code that would be used is right: what takes the place of wrong code is tested in its turn. self_test.cpp
bool test_all(Measuring &measuring, Rehearsal &rehearsal);
/// Bars what is wrong, and says so. self_test.cpp
void judge(Measuring &measuring);

/// Times kernels until the budget is spent, the first of the entry first. kernel_times.cpp
bool time_all(Measuring &measuring, Rehearsal &rehearsal);
/// Wishes by the times. False if the pool failed. kernel_times.cpp
bool decide(Measuring &measuring, Wish *wishes);

/// The least time that `action` takes in `iterations`, or in as many as there is patience for; kImpossible if it failed.
template <typename Action> uint64_t least_time(uint32_t iterations, uint64_t patience, Action action) {
  const uint64_t began = now();
  uint64_t least = kImpossible;
  for (uint64_t since = began; iterations > 0 && (least == kImpossible || since - began < patience); --iterations) {
    if (!action())
      return kImpossible;
    const uint64_t until = now();
    least = until - since < least ? until - since : least;
    since = until;
  }
  return least;
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_MEASURING_H
