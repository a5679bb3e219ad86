// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the storages of an entry lie in the GPU's memory.
// Why: the GPU sees one buffer; which bytes two launches have in common is a question about offsets in it.
// How: inputs, outputs, arena, state, one after the other: where memories are two, the CPU's ends with the last that it
//      touches. What the GPU never touches comes last and has no bytes in the buffer: the CPU has it elsewhere. A state
//      that runs write has two copies, of which one run reads the first and the next run the second; a plan is made as
//      if it were always the first.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"

namespace nacre::runtime::gpu {

/// Vulkan never asks for more of a binding's offset.
constexpr uint64_t kBindingAlignment = 256;

struct Region {
  uint64_t begin;
  uint64_t bytes;
  bool on_gpu; // the GPU touches it
};

struct Layout {
  Region state;      // that a run reads, until it has written it
  Region next_state; // that it writes; without bytes where the entry only reads
  Region arena;
  Region *inputs;
  Region *outputs;
  uint64_t buffer_bytes; // of what the GPU touches

  Region *weights; // in a buffer of their own; those that the GPU reads
  uint64_t weight_bytes;
};

/// Lays out, for the code that the shares name or, with `any_code`, for any code of the kernels that they give the GPU.
/// False if the pool failed.
bool lay_out(const nacre_model_table &model, const nacre_entry &entry, const Share *shares, bool any_code,
             MemoryPool &pool, Layout &layout);

inline bool has_two_states(const Layout &layout) { return layout.next_state.bytes != 0; }

/// Where in the buffer a byte of the plan is in a run that reads copy `current` of the state.
inline uint64_t placed(const Layout &layout, uint64_t at, uint32_t current) {
  const Region &state = layout.state, &next = layout.next_state;
  if (current == 0)
    return at;
  return at >= state.begin && at < state.begin + state.bytes ? at - state.begin + next.begin
         : at >= next.begin && at < next.begin + next.bytes  ? at - next.begin + state.begin
                                                             : at;
}

/// The region of an operand that is no weight; of the state, the copy that a run reads.
const Region &region_of(const Layout &layout, const nacre_operand &operand);

/// Returns where an operand begins in an iteration: in the layout, or in the buffer of weights. An operand in the state is taken to be
/// in the copy that a run reads.
uint64_t begin_of(const Layout &layout, const nacre_operand &operand, int64_t iteration);

/// From the copy of the state that a run reads to the one that it writes.
inline uint64_t to_next_state(const Layout &layout) { return layout.next_state.begin - layout.state.begin; }

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H
