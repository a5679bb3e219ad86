// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records command buffers.
// Why: the batches of a run and the trials of single launches consist of the same dispatches, copies and barriers.
// How: a thin layer over Vulkan's commands that uses the engine's buffers, shares and pipelines.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_RECORDING_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_RECORDING_H

#include "runtime/src/gpu_vulkan/engine.h"

namespace nacre::runtime::gpu {

/// Writes a part's operands to the descriptor set. Returns false and sets `reason` if the model's tables are damaged.
bool write_descriptors(Engine &engine, const Part &part, VkDescriptorSet set, Reason &reason);

class Recorder {
public:
  Recorder(Engine &of, VkCommandBuffer into) : engine(of), vk(of.device.loader.vk), commands(into) {}

  /// Records a barrier that waits for all earlier submissions and their writes. If `waits`, it also makes the CPU's
  /// writes visible that happen after the submission.
  void begin_batch(bool waits) {
    barrier(kCompute | kTransfer | (waits ? VK_PIPELINE_STAGE_HOST_BIT : 0),
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | (waits ? VK_ACCESS_HOST_WRITE_BIT : 0),
            kCompute | kTransfer, kShader | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  }

  void upload(uint32_t phase) {
    if (copy(engine.schedule.uploads, phase, engine.mirror.buffer, engine.storages.buffer))
      barrier(kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kShader);
  }

  void dispatch(const Part &part, VkDescriptorSet set);

  /// Records the copies and the barrier that make the results of the phase's batch visible to the CPU.
  void end_batch(uint32_t phase);

  void stamp(uint32_t query) {
    if (engine.queries)
      vk.CmdWriteTimestamp(commands, kCompute, engine.queries, query);
  }

private:
  static constexpr VkPipelineStageFlagBits kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  static constexpr VkPipelineStageFlagBits kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  static constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

  void barrier(VkPipelineStageFlags after, VkAccessFlags written, VkPipelineStageFlags before, VkAccessFlags used) {
    VkMemoryBarrier memory = {};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = written;
    memory.dstAccessMask = used;
    vk.CmdPipelineBarrier(commands, after, before, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }

  bool copy(const List<Copy> &copies, uint32_t phase, VkBuffer from, VkBuffer to) {
    bool any = false;
    for (const Copy &copy : copies) {
      if (copy.phase != phase)
        continue;
      const VkBufferCopy region = {copy.begin, copy.begin, copy.end - copy.begin};
      vk.CmdCopyBuffer(commands, from, to, 1, &region);
      any = true;
    }
    return any;
  }

  Engine &engine;
  const VulkanApi &vk;
  VkCommandBuffer commands;
  VkPipeline bound = {};
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_RECORDING_H
