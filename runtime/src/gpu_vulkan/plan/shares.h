// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of each launch each engine computes.
// Why: a cut is a number that the compiler, the app or the device may move; all rules for moving it are here.
// How: pure functions on the tables and on what a device can do; no Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime::gpu {

/// What a GPU can do, as far as kernels are concerned.
struct Capabilities {
  uint64_t features; // NACRE_GPU_NEED bits
  uint32_t family;   // nacre_gpu_family
  uint32_t invocations;
  uint32_t shared_bytes;
  uint32_t groups[2]; // the most workgroups in each dimension of a dispatch
  uint32_t bindings;  // the most storage buffers of a kernel
  uint64_t range;     // the most bytes of one
  uint64_t alignment; // of a binding's first byte
};

/// A step's ranges on its cut axis; of the GPU's variant if it has any. All 0 for the brackets of loops.
struct Share {
  const nacre_gpu_variant *variant;
  int64_t gpu_begin, gpu_end;
  int64_t cpu_begin, cpu_end;

  bool on_gpu() const { return gpu_begin < gpu_end; }
  bool on_cpu() const { return cpu_begin < cpu_end; }
};

/// The most storage buffers that a kernel of ours has; the device may have fewer.
constexpr uint32_t kMaxBindings = 32;

/// What is wanted of a launch, beyond what the compiler said.
struct Wish {
  uint32_t cut;     // as nacre_session_options.gpu_cut
  uint32_t variant; // 1 + the GPU's variant; 0: the first that serves
  uint64_t barred;  // variants that must not be used, a bit each
};

/// Variants of a kernel beyond this many are never used.
constexpr uint32_t kMaxVariants = 64;

/// Whether binding `i` may begin anywhere.
inline bool is_shifted(const nacre_gpu_variant &variant, uint32_t i) { return variant.shifted >> i & 1; }

/// What binding `i` shows of its operand, which has `bytes`.
struct Piece {
  uint64_t begin, bytes;
};
Piece piece_of(const nacre_gpu_variant &variant, uint32_t i, uint64_t bytes);

/// All of a launch for the CPU; nothing for a step that is none.
inline Share of_cpu(const nacre_step &step) {
  return {nullptr, 0, 0, 0, step.kind == NACRE_STEP_LAUNCH ? step.cut_extent : 0};
}

/// Decides for a step. Where the GPU was to have a part but cannot, the CPU has all and `reason` says why; elsewhere
/// `reason` stays as it is.
Share choose_share(const nacre_model_table &model, const nacre_entry &entry, const nacre_step &step, const Wish &wish,
                   const Capabilities &device, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H
