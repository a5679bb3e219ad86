// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled code of a session's kernels.
// Why: compilation by the driver takes longer than all else at create: it is done on several threads, and kept in a
//      file. And drivers refuse code that others take: that must cost a kernel, not the session.
// How: a pipeline for each variant of a kernel that is in use; layouts are told apart by the number of bindings alone.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H

#include "runtime/src/gpu_vulkan/cache_file.h"
#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

struct Pipelines {
  VkDescriptorSetLayout sets[kMaxBindings + 1]; // by number of bindings
  VkPipelineLayout layouts[kMaxBindings + 1];
  VkPipelineCache cache;
  uint32_t *first;  // of the kernels: where the variants of each begin
  VkPipeline *made; // of all variants of all kernels; null for those that are not in use
  uint32_t variant_count;
  uint32_t count; // made
};

/// A piece of GPU code.
struct Code {
  uint32_t kernel;
  uint32_t variant;
};

/// Null where it is not in use.
inline VkPipeline &pipeline_of(const Pipelines &pipelines, const Code &code) {
  return pipelines.made[pipelines.first[code.kernel] + code.variant];
}

/// The push constants of a kernel; of the shifts, as many as it has shifted bindings.
struct PushConstants {
  int32_t share_begin;
  int32_t share_end;
  int32_t shifts[NACRE_GPU_MOST_SHIFTED];
};

/// Makes room, and a cache with what the file has. False, with the reason, if the driver fails. Destroy them in either
/// case.
bool open_pipelines(Device &device, const Session &session, CacheFile &file, MemoryPool &pool, Pipelines &pipelines,
                    Reason &reason);

/// Compiles what is not compiled yet. What the driver refuses is barred, told to the log and left in `refused`. False,
/// with the reason, if nothing more can be done.
/// `barred`: of the kernels; as Wish.
bool make_pipelines(Device &device, const Session &session, const List<Code> &wanted, Pipelines &pipelines,
                    uint64_t *barred, Reason &refused, Reason &reason);

/// Keeps what the driver has compiled.
void save_pipelines(Device &device, const nacre_allocator &allocator, CacheFile &file, const Pipelines &pipelines);

void destroy_pipelines(Device &device, Pipelines &pipelines);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINES_H
