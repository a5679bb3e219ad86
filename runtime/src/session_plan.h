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

/// Plan of a session. Regions are offsets into its block, each a multiple of NACRE_ALIGNMENT.
struct SessionPlan {
  const nacre_model_table *model;
  const nacre_entry *entry;
  nacre_session_options options; // All fields are valid: defaults fill those that the app's shorter struct lacks.
  uint64_t features;             // Features of this CPU.
  const char *weights;
  bool has_own_state;      // False if the options contain a state.
  uint64_t scratch_stride; // Distance between the scratch of two threads.

  uint64_t inputs;   // Buffer[input_count]
  uint64_t outputs;  // Buffer[output_count]
  uint64_t launches; // Launch[step_count]
  uint64_t pointers; // void *[largest operand count of a launch], or uint32_t[input_count + output_count].
  uint64_t times;    // nacre_launch_time[step_count], if a profile is requested.
  uint64_t scratch;
  uint64_t state;
  uint64_t input_data;
  uint64_t output_data;
  uint64_t arena;
  nacre_memory_info memory; // block_bytes is the sum of all regions.
};

inline uint64_t aligned(uint64_t bytes) { return (bytes + NACRE_ALIGNMENT - 1) / NACRE_ALIGNMENT * NACRE_ALIGNMENT; }

/// Returns the first variant that a CPU with these features can run, or nullptr.
const nacre_cpu_variant *choose_variant(const nacre_kernel &kernel, uint64_t features);

/// True if the GPU computes a share of at least one launch of the entry.
bool has_gpu_share(const nacre_entry &entry);

/// Fills `plan`. On failure, sets `reason` and returns the status. `plan.options` is valid even then, because it
/// contains the log for the reason.
nacre_status plan_session(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                          SessionPlan &plan, Reason &reason);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SESSION_PLAN_H
