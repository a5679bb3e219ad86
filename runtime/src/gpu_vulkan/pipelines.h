// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code of a session's kernels.
// Why: compilation by the driver takes longer than the rest of create, so several threads do it and a file keeps the
//      result. Some drivers refuse code that others accept. Then only that kernel runs on the CPU.
// How: one pipeline for each variant of a kernel that is in use. Layouts differ only in the number of bindings.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H

#include "runtime/src/gpu_vulkan/cache_file.h"
#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

struct Pipelines {
  VkDescriptorSetLayout sets[kMaxBindings + 1]; // For each number of bindings.
  VkPipelineLayout layouts[kMaxBindings + 1];
  VkPipelineCache cache;
  uint32_t *first;  // For each kernel: the index of its first variant in `made`.
  VkPipeline *made; // One element for each variant of each kernel; null if the variant is not in use.
  uint32_t variant_count;
  uint32_t count; // Number of pipelines that were compiled.
};

/// One variant of a kernel's GPU code.
struct Code {
  uint32_t kernel;
  uint32_t variant;
};

/// Returns the pipeline of `code`; null if the code is not in use.
inline VkPipeline &pipeline_of(const Pipelines &pipelines, const Code &code) {
  return pipelines.made[pipelines.first[code.kernel] + code.variant];
}

/// Push constants of a kernel. It has one shift for each shifted binding.
struct PushConstants {
  int32_t share_begin;
  int32_t share_end;
  int32_t shifts[NACRE_GPU_MOST_SHIFTED];
};

/// Allocates the tables, and a pipeline cache with the contents of the file. Returns false and sets `reason` if the
/// driver fails. The pipelines must be destroyed in either case.
bool open_pipelines(Device &device, const Session &session, CacheFile &file, MemoryPool &pool, Pipelines &pipelines,
                    Reason &reason);

/// Compiles the pipelines of `wanted` that do not exist yet. If the driver refuses code, bars and logs it, and sets
/// `refused`. Returns false and sets `reason` if compilation is not possible any more. `barred` has one word for each
/// kernel, with the bits of Wish::barred.
bool make_pipelines(Device &device, const Session &session, const List<Code> &wanted, Pipelines &pipelines,
                    uint64_t *barred, Reason &refused, Reason &reason);

/// Writes the driver's compiled code to the file.
void save_pipelines(Device &device, const nacre_allocator &allocator, CacheFile &file, const Pipelines &pipelines);

void destroy_pipelines(Device &device, Pipelines &pipelines);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
