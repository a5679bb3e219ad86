// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out the block of a session.
// Why: a session has one block. It begins with the struct, and contains all that the struct points to.
// How: a sequence of regions: those of each entry, then those that the entries share. `end` is the end of the regions
//      that are placed already. The functions are inlined, because a model with one entry calls each of them once.

#ifndef NACRE_RUNTIME_SRC_BLOCK_H
#define NACRE_RUNTIME_SRC_BLOCK_H

#include "runtime/src/session.h"

namespace nacre::runtime {

/// Returns the begin of a region of `bytes` bytes at the end of the block.
inline uint64_t take(uint64_t &end, uint64_t bytes) {
  const uint64_t begin = end;
  end += aligned(bytes);
  return begin;
}

inline uint64_t tensor_bytes(const nacre_tensor *tensors, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += aligned(tensors[i].bytes);
  return bytes;
}

/// Places the regions of `plan.view.entry`.
__attribute__((always_inline)) inline void place_entry(SessionPlan &plan, uint64_t &end) {
  EntryPlan &view = plan.view;
  const nacre_entry &entry = *view.entry;
  const uint64_t input_bytes = tensor_bytes(entry.inputs, entry.input_count);
  const uint64_t output_bytes = tensor_bytes(entry.outputs, entry.output_count);
  plan.memory.input_bytes += input_bytes;
  plan.memory.output_bytes += output_bytes;
  view.inputs = take(end, entry.input_count * sizeof(Buffer));
  view.outputs = take(end, entry.output_count * sizeof(Buffer));
  view.launches = take(end, entry.step_count * sizeof(Launch));
  view.times = take(end, plan.options.profile ? entry.step_count * sizeof(nacre_launch_time) : 0);
  view.input_data = take(end, input_bytes);
  view.output_data = take(end, output_bytes);
}

/// Places the regions that entries share, after the last entry.
__attribute__((always_inline)) inline void place_shared(SessionPlan &plan, uint64_t &end) {
  nacre_memory_info &memory = plan.memory;
  memory.state_bytes = plan.has_own_state ? plan.model->state_bytes : 0;
  memory.scratch_bytes = plan.scratch_stride * memory.threads;
  plan.pointers = take(end, plan.pointer_bytes);
  plan.scratch = take(end, memory.scratch_bytes);
  plan.state = take(end, memory.state_bytes);
  plan.arena = take(end, memory.arena_bytes);
  memory.block_bytes = end;
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_BLOCK_H
