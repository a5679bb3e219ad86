// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides the part of each launch that each engine computes.
// Why: the compiler, the app and the device influence where a launch is cut. This file contains all rules.
// How: pure functions of the model's tables and the capabilities of a device. They do not call Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime::gpu {

/// Capabilities of a GPU that kernels depend on.
struct Capabilities {
  uint64_t features; // Bits of NACRE_GPU_NEED.
  uint32_t family;   // A value of nacre_gpu_family.
  uint32_t invocations;
  uint32_t shared_bytes;
  uint32_t groups[2]; // Largest number of workgroups in each dimension of a dispatch.
  uint32_t bindings;  // Largest number of storage buffers of a kernel.
  uint64_t range;     // Largest size of a storage buffer.
  uint64_t alignment; // Required alignment of a binding's offset.
};

/// Ranges of the engines on the cut axis of a step, and the GPU's variant if its range is not empty. All fields are 0
/// for steps that are not launches.
struct Share {
  const nacre_gpu_variant *variant;
  int64_t gpu_begin, gpu_end;
  int64_t cpu_begin, cpu_end;

  bool on_gpu() const { return gpu_begin < gpu_end; }
  bool on_cpu() const { return cpu_begin < cpu_end; }
};

/// Largest number of storage buffers of a generated kernel. The device may have fewer.
constexpr uint32_t kMaxBindings = 32;

/// Requests for a launch, in addition to the compiler's choice.
struct Wish {
  uint32_t cut;     // As in nacre_session_options.gpu_cut.
  uint32_t variant; // Index of the GPU's variant plus 1; 0 for the first usable variant.
  uint64_t barred;  // Variants that must not be used, one bit each.
};

/// Largest number of variants of a kernel; later variants are ignored.
constexpr uint32_t kMaxVariants = 64;

/// True if binding `i` may begin at any offset.
inline bool is_shifted(const nacre_gpu_variant &variant, uint32_t i) { return variant.shifted >> i & 1; }

/// Range of an operand that a binding contains.
struct Piece {
  uint64_t begin, bytes;
};
Piece piece_of(const nacre_gpu_variant &variant, uint32_t i, uint64_t bytes);

/// Returns a share with the whole launch on the CPU. It is empty for a step that is not a launch.
inline Share of_cpu(const nacre_step &step) {
  return {nullptr, 0, 0, 0, step.kind == NACRE_STEP_LAUNCH ? step.cut_extent : 0};
}

/// Decides the share of a step. If the GPU should compute a part but cannot, the CPU computes everything and `reason`
/// says why. Otherwise `reason` is unchanged.
Share choose_share(const nacre_model_table &model, const nacre_entry &entry, const nacre_step &step, const Wish &wish,
                   const Capabilities &device, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_SHARES_H
