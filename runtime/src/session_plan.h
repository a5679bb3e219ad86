// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  everything that is decided before a session has memory: which entry, code and threads, and the block's layout.
// Why:   nacre_session_memory and nacre_session_create must not disagree, so both start here; and every reason to
//        refuse a model is found before anything has been taken.
// How:   checks in the order in which later ones rely on earlier ones; then one sum of aligned regions.

#ifndef NACRE_RUNTIME_SRC_SESSION_PLAN_H
#define NACRE_RUNTIME_SRC_SESSION_PLAN_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/text.h"

namespace nacre::runtime {

/// What is known before a session exists. Regions are offsets into its block, each a multiple of NACRE_ALIGNMENT.
struct SessionPlan {
  const nacre_model_table *model;
  const nacre_entry *entry;
  nacre_session_options options; // complete, whatever size the app's were
  uint64_t features;             // of this CPU
  const char *weights;
  bool has_own_state;      // else the options' alone
  uint64_t scratch_stride; // from one thread's scratch to the next one's

  uint64_t inputs;   // Buffer[input_count]
  uint64_t outputs;  // Buffer[output_count]
  uint64_t launches; // Launch[step_count]
  uint64_t pointers; // void *[the most operands of any launch], or uint32_t[input_count + output_count]
  uint64_t times;    // nacre_launch_time[step_count], if asked for
  uint64_t scratch;
  uint64_t state;
  uint64_t input_data;
  uint64_t output_data;
  uint64_t arena;
  nacre_memory_info memory; // its block_bytes is the sum
};

inline uint64_t aligned(uint64_t bytes) { return (bytes + NACRE_ALIGNMENT - 1) / NACRE_ALIGNMENT * NACRE_ALIGNMENT; }

/// The first variant that a CPU with these features can run, or nullptr.
const nacre_cpu_variant *choose_variant(const nacre_kernel &kernel, uint64_t features);

/// Whether the entry was compiled to use a GPU at all.
bool has_gpu_share(const nacre_entry &entry);

/// Decides. On failure `reason` says why; `plan.options` is valid even then, so that the app can be told.
nacre_status plan_session(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                          SessionPlan &plan, Reason &reason);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SESSION_PLAN_H
