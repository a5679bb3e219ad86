// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements shares.h. It first computes the ranges, then finds a variant that the device supports and whose operands
// it can bind.

#include "runtime/src/gpu_vulkan/plan/shares.h"

namespace nacre::runtime::gpu {
namespace {

Share wanted_share(const nacre_step &step, uint32_t cut) {
  if (cut == 0)
    return {nullptr, step.gpu_begin, step.gpu_end, step.cpu_begin, step.cpu_end};
  const int64_t percent = int64_t(cut) - 1;
  const int64_t grain = step.grain > 0 ? step.grain : 1;
  // 100 % is the whole extent, even if it is not a multiple of the grain. Large extents are divided first, to avoid an
  // overflow.
  const int64_t at = percent >= 100
                         ? step.cut_extent
                         : (step.cut_extent / 100 * percent + step.cut_extent % 100 * percent / 100) / grain * grain;
  return {nullptr, 0, at, at, step.cut_extent};
}

/// Returns the name of a requirement of the variant that the device does not meet; nullptr if it meets all.
const char *what_lacks(const nacre_gpu_variant &variant, const Capabilities &device) {
  if (variant.needs & ~device.features)
    return "features";
  if (variant.families != 0 && !(variant.families >> device.family & 1))
    return "code for its family";
  if (variant.workgroup_size > device.invocations)
    return "workgroups of that size";
  if (variant.shared_bytes > device.shared_bytes)
    return "shared memory";
  if (variant.groups > device.groups[0])
    return "dispatches of that size";
  if (variant.binding_count > device.bindings || variant.binding_count > kMaxBindings)
    return "bindings";
  return nullptr;
}

/// Returns the reason why an operand of the variant cannot be bound; nullptr if all can be.
const char *what_prevents(const nacre_gpu_variant &variant, const nacre_model_table &model, const nacre_entry &entry,
                          const nacre_step &step, const Capabilities &device) {
  uint32_t shifts = 0;
  for (uint32_t i = 0; i < variant.binding_count; ++i) {
    if (variant.bindings[i] >= step.operand_count)
      return "a binding without an operand";
    const nacre_operand &operand = entry.operands[step.first_operand + variant.bindings[i]];
    if (operand.bytes == 0)
      return "an operand of unknown size";
    const bool shifted = is_shifted(variant, i);
    if (shifted && ++shifts > NACRE_GPU_MOST_SHIFTED)
      return "more shifts than push constants";
    const Piece piece = piece_of(variant, i, operand.bytes);
    if (piece.bytes == 0)
      return "an operand with fewer pieces than are bound";
    if (piece.bytes + (shifted ? device.alignment - 1 : 0) > device.range)
      return "an operand larger than the device binds";
    if (!shifted && (operand.offset % device.alignment != 0 || operand.step % int64_t(device.alignment) != 0))
      return "an operand at an offset that the device does not bind";
    // In a loop, the operand must also be inside the weight in the next iteration.
    const uint64_t further = uint64_t(operand.step > 0 ? operand.step : 0);
    if (operand.space == NACRE_SPACE_WEIGHT &&
        operand.offset + further + operand.bytes > model.weights[operand.index].bytes)
      return "an operand beyond its weight";
  }
  return nullptr;
}

} // namespace

Piece piece_of(const nacre_gpu_variant &variant, uint32_t i, uint64_t bytes) {
  if (variant.piece_bytes == 0)
    return {0, bytes};
  uint64_t begin = 0;
  for (uint32_t former = 0; former < i; ++former)
    if (variant.bindings[former] == variant.bindings[i])
      begin += variant.piece_bytes;
  const uint64_t left = begin < bytes ? bytes - begin : 0;
  return {begin, left < variant.piece_bytes ? left : variant.piece_bytes};
}

Share choose_share(const nacre_model_table &model, const nacre_entry &entry, const nacre_step &step, const Wish &wish,
                   const Capabilities &device, Reason &reason) {
  if (step.kind != NACRE_STEP_LAUNCH)
    return {};
  Share share = wanted_share(step, wish.cut);
  const nacre_kernel &kernel = model.kernels[step.kernel];
  if (!share.on_gpu() || (kernel.gpu_count == 0 && wish.cut != 0))
    return of_cpu(step); // A kernel without GPU code ignores the wish.
  const char *obstacle = kernel.gpu_count ? "" : "code for GPUs", *problem = "the device lacks ";
  // Tries the requested variant first, then all variants in the compiler's order.
  for (uint32_t i = 0; i < kernel.gpu_count + 1 && i <= kMaxVariants && obstacle; ++i) {
    const uint32_t number = (i ? i : wish.variant) - 1;
    if (number >= kernel.gpu_count)
      continue;
    const nacre_gpu_variant &variant = kernel.gpu[number];
    share.variant = &variant;
    const int64_t rows = (share.gpu_end - share.gpu_begin + variant.unit_extent - 1) / variant.unit_extent;
    problem = "the device lacks ";
    obstacle = wish.barred >> number & 1          ? "code that works on it"
               : rows > int64_t(device.groups[1]) ? "dispatches of that size"
                                                  : what_lacks(variant, device);
    if (obstacle)
      continue;
    problem = "there is ";
    obstacle = what_prevents(variant, model, entry, step, device);
  }
  if (!obstacle)
    return share;
  reason << "'" << model.strings + step.name << "' stays on the CPU, because " << problem << obstacle;
  return of_cpu(step);
}

} // namespace nacre::runtime::gpu
