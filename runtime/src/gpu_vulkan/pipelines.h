// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the compiled code of a session's kernels.
// Why:   compilation by the driver takes longer than all else at create: it is done on several threads, and kept in a
//        file.
// How:   a pipeline for each kernel that the GPU has a share of; layouts are told apart by the number of bindings
//        alone.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H

#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

struct Pipelines {
  VkDescriptorSetLayout sets[kMaxBindings + 1]; // by number of bindings
  VkPipelineLayout layouts[kMaxBindings + 1];
  VkPipelineCache cache;
  VkPipeline *of_kernel; // null for kernels that the GPU has no share of
  uint32_t kernel_count;
  uint32_t count;
};

/// The two push constants of every kernel.
struct ShareConstants {
  int32_t begin;
  int32_t end;
};

/// False, with the reason, if the driver fails. Destroy them in either case. `cache_folder` may be null.
bool make_pipelines(Device &device, const nacre_model_table &model, const nacre_entry &entry, const Share *shares,
                    const char *cache_folder, const nacre_allocator &allocator, Pool &pool, Pipelines &pipelines,
                    Reason &reason);
void destroy_pipelines(Device &device, Pipelines &pipelines);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
