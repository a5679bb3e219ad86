// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of an entry's storages in the GPU's memory.
// Why: all storages are in one buffer of the GPU. Two launches conflict if their offsets in this buffer overlap.
// How: inputs, outputs, arena and state follow one another. With two memories, the CPU's copy ends with the last byte
//      that the CPU accesses. Storages that the GPU never accesses come last and have no bytes in the buffer. A state
//      that runs write has two copies: one run reads the first and writes the second, the next run does the reverse. A
//      plan always assumes the first case.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"

namespace nacre::runtime::gpu {

/// Largest alignment that Vulkan may require for the offset of a binding.
constexpr uint64_t kBindingAlignment = 256;

struct Region {
  uint64_t begin;
  uint64_t bytes;
  bool on_gpu; // True if the GPU accesses the region.
};

struct Layout {
  Region state;      // Copy that a run reads, until the run has written it.
  Region next_state; // Copy that a run writes; empty if the entry only reads the state.
  Region arena;
  Region *inputs;
  Region *outputs;
  uint64_t buffer_bytes; // Size of all regions that the GPU accesses, in bytes.

  Region *weights; // For each weight: its region in a separate buffer, if the GPU reads it.
  uint64_t weight_bytes;
};

/// Computes the layout for the variants in `shares`. If `any_code`, the layout fits all variants of the kernels in
/// which the GPU has a share. Returns false if the pool failed.
bool lay_out(const nacre_model_table &model, const nacre_entry &entry, const Share *shares, bool any_code,
             MemoryPool &pool, Layout &layout);

inline bool has_two_states(const Layout &layout) { return layout.next_state.bytes != 0; }

/// Returns the offset of a byte in a run that reads the copy `current` (0 or 1) of the state. The plan has the byte at
/// the offset `at`.
inline uint64_t placed(const Layout &layout, uint64_t at, uint32_t current) {
  const Region &state = layout.state, &next = layout.next_state;
  if (current == 0)
    return at;
  return at >= state.begin && at < state.begin + state.bytes ? at - state.begin + next.begin
         : at >= next.begin && at < next.begin + next.bytes  ? at - next.begin + state.begin
                                                             : at;
}

/// Returns the region of an operand that is not a weight. For the state, returns the copy that a run reads.
const Region &region_of(const Layout &layout, const nacre_operand &operand);

/// Returns the offset of an operand in an iteration, within the layout or within the buffer of weights. For the state,
/// returns the offset in the copy that a run reads.
uint64_t begin_of(const Layout &layout, const nacre_operand &operand, int64_t iteration);

/// Returns the distance from the copy of the state that a run reads to the copy that it writes.
inline uint64_t to_next_state(const Layout &layout) { return layout.next_state.begin - layout.state.begin; }

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_LAYOUT_H
