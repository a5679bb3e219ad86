// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the storages of an entry lie in the GPU's memory.
// Why:   the GPU sees one buffer; which bytes two launches have in common is a question about offsets in it.
// How:   state, inputs, outputs, arena, one after the other. What the GPU never touches comes last and has no bytes in
//        the buffer: the CPU has it elsewhere.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_LAYOUT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_LAYOUT_H

#include "runtime/src/gpu_vulkan/memory_pool.h"
#include "runtime/src/gpu_vulkan/shares.h"

namespace nacre::runtime::gpu {

/// Vulkan never asks for more of a binding's offset.
constexpr uint64_t kBindingAlignment = 256;

struct Region {
  uint64_t begin;
  uint64_t bytes;
  bool on_gpu; // the GPU touches it
};

struct Layout {
  Region state;
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

/// The region of an operand that is no weight.
const Region &region_of(const Layout &layout, const nacre_operand &operand);

/// Where an operand begins in a turn of its loop: in the layout, or in the buffer of weights.
uint64_t begin_of(const Layout &layout, const nacre_operand &operand, int64_t iteration);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_LAYOUT_H
