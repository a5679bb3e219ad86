// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans a session before memory is allocated: the entry, the variants of kernels, the threads, and the layout of the
// block.
// Why: nacre_session_memory and nacre_session_create must agree on the layout, so both begin with this plan. A model is
//      refused before any memory is allocated.
// How: later checks rely on earlier ones. The layout is a sequence of aligned regions.

#ifndef NACRE_RUNTIME_SRC_SESSION_PLAN_H
#define NACRE_RUNTIME_SRC_SESSION_PLAN_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/text.h"

namespace nacre::runtime {

/// Regions of the block that belong to one entry. All regions are offsets into the block, each a multiple of
/// NACRE_ALIGNMENT.
struct EntryPlan {
  const nacre_entry *entry;
  uint64_t inputs;   // Buffer[input_count]
  uint64_t outputs;  // Buffer[output_count]
  uint64_t launches; // Launch[step_count]
  uint64_t times;    // nacre_launch_time[step_count], if a profile is requested.
  uint64_t input_data;
  uint64_t output_data;
};

/// Plan of a session.
struct SessionPlan {
  const nacre_model_table *model;
  EntryPlan view;                // The entry that the first run computes.
  nacre_session_options options; // All fields are valid: defaults fill those that the app's shorter struct lacks.
  uint64_t features;             // Features of this CPU.
  const char *weights;
  bool has_own_state; // False if the options contain a state.

  // Memory that the session's entries share: the largest that one of them needs.
  uint64_t scratch_stride; // Distance between the scratch of two threads.
  uint64_t pointer_bytes;

  uint64_t pointers; // void *[largest operand count of a launch], or uint32_t[input_count + output_count].
  uint64_t scratch;
  uint64_t state;
  uint64_t arena;
  nacre_memory_info memory; // block_bytes is the sum of all regions.
};

inline uint64_t aligned(uint64_t bytes) { return (bytes + NACRE_ALIGNMENT - 1) / NACRE_ALIGNMENT * NACRE_ALIGNMENT; }

/// Returns the first variant that a CPU with these features can run, or nullptr.
const nacre_cpu_variant *choose_variant(const nacre_kernel &kernel, uint64_t features);

/// Checks the tables of `plan.view.entry`, and raises the shared memory to the needs of this entry.
nacre_status check_entry(SessionPlan &plan, Reason &reason);

/// Fills `plan`. On failure, sets `reason` and returns the status. `plan.options` is valid even then, because it
/// contains the log for the reason.
using SessionPlanner = nacre_status(const nacre_model *model, uint32_t api_version,
                                    const nacre_session_options *options, SessionPlan &plan, Reason &reason);
// Without `hidden`, the compiler would load the function's address from a table.
__attribute__((visibility("hidden"))) SessionPlanner plan_session;

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SESSION_PLAN_H
