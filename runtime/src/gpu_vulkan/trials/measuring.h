// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of the self-test and the tuning: their results, and the walk through an entry.
// Why: one rehearsal serves both, and the tuning must not choose code that failed the test.
// How: create fills the struct Measuring. Its results bar code or change wishes.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_MEASURING_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_MEASURING_H

#include "runtime/src/gpu_vulkan/trials/rehearsal.h"
#include "runtime/src/gpu_vulkan/trials/tuning.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {

enum Verdict : uint8_t { Untested, Right, Wrong };

/// Times of a kernel.
struct Times {
  bool known;
  uint32_t variant; // Index of the GPU's fastest variant plus 1.
  uint64_t of[kPlacements];
};

/// Data of the tests and measurements in progress.
struct Measuring {
  Engine &engine;
  Reason &reason;
  const nacre_session_options &options;
  uint64_t cpu_features;
  uint8_t *verdicts; // For each variant of each kernel.
  bool *in_use;      // For each kernel: true if the app gives the GPU a share of it.
  bool tries_all;    // True to test all code, even code that is not in use.
  bool *seen;        // For each kernel: true once a walk has met it.
  Times *times;      // For each kernel.
  uint64_t budget;
  uint64_t deadline;  // Time at which the measurements of single kernels must end.
  uint64_t meeting;   // Time to submit an empty batch and to wait for it.
  double nanoseconds; // Time to copy a byte between the memories; 0 if there is only one memory.

  /// Returns the time limit of one measurement, so that no kernel uses up the whole budget.
  uint64_t patience() const { return budget / 64; }
};

inline uint32_t index_of(const Engine &engine, const Code &code) {
  return engine.pipelines.first[code.kernel] + code.variant;
}

inline void compute_on_cpu(const Session &session, const Part &part) {
  run_launch(session, session.view.memory, session.view.entry->steps[part.step], session.view.launches[part.step],
             part.iteration);
}

/// Returns limits for trials. With generated inputs, a loop might never end. So a loop with a test has at most 16
/// iterations, and all loops together have at most kMaxExecutions.
inline RunLimits trial_limits() { return {16, kMaxExecutions, UINT32_MAX, NACRE_OK, 0}; }

/// Computes a stretch [first, end) that depends on data of the run, on the CPU.
inline void compute_decided(const Session &session, uint32_t first, uint32_t end) {
  RunLimits limits = trial_limits();
  run_steps(session, session.view.memory, session.view.launches, first, end, limits, 0);
}

/// Computes the entry on the CPU. Calls `each(part, first)` to compute each launch. `first` is true for the first
/// launch of a kernel with GPU code.
template <typename Function> bool walk(Measuring &measuring, Function each) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  __builtin_memset(measuring.seen, 0, session.model->kernel_count);
  nacre_state_reset(&session.state->head, NACRE_STATE_ALL);
  bool good = true;
  auto compute = [&](uint32_t step, int64_t iteration) {
    bool &seen = measuring.seen[session.view.entry->steps[step].kernel];
    const bool first = !seen && engine.shares[step].on_gpu();
    seen |= first;
    good = good && each(Part{step, false, iteration, nullptr}, first);
  };
  walk_stretches(*session.view.entry, kMaxExecutions, compute,
                 [&session](uint32_t first, uint32_t end) { compute_decided(session, first, end); });
  return good;
}

/// Sets the share of the part's step for a trial. Returns false if the device cannot compute this share.
bool wish_for(Measuring &measuring, const Part &part, Placement placement, uint32_t variant);

/// Tests all code that would be used. If code is wrong, also tests the code that replaces it. Defined in self_test.cpp.
bool test_all(Measuring &measuring, Rehearsal &rehearsal);
/// Bars wrong code and reports it. Defined in self_test.cpp.
void judge(Measuring &measuring);

/// Measures kernels, in the order of the entry, until the time budget is spent. Defined in kernel_times.cpp.
bool time_all(Measuring &measuring, Rehearsal &rehearsal);
/// Derives wishes from the times. Returns false if the pool failed. Defined in kernel_times.cpp.
bool decide(Measuring &measuring, Wish *wishes);

/// Returns the shortest time of `action` in at most `iterations` iterations. Stops early after `patience` nanoseconds.
/// Returns kImpossible if the action failed.
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
