// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the weights to the GPU.
// Why: weights are the largest part of most models, and every run reads them. So they must be in the GPU's fastest
//      memory.
// How: with unified memory, the CPU copies them. Otherwise, they are copied in pieces through a small buffer that both
//      engines access.

#include "runtime/src/gpu_vulkan/engine.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint64_t kStagingBytes = 16 << 20;

class Stager {
public:
  Stager(Engine &of, DeviceBuffer &through, VkCommandBuffer with, Reason &why)
      : engine(of), staging(through), commands(with), reason(why) {}

  bool copy(const char *from, uint64_t to, uint64_t bytes) {
    while (bytes != 0) {
      if (used == staging.bytes && !flush())
        return false;
      if (used == 0 && !begin_commands(engine.device, commands, true, reason))
        return false;
      const uint64_t room = staging.bytes - used;
      const uint64_t part = bytes < room ? bytes : room;
      __builtin_memcpy(staging.mapped + used, from, part);
      const VkBufferCopy region = {used, to, part};
      engine.device.loader.vk.CmdCopyBuffer(commands, staging.buffer, engine.weights.buffer, 1, &region);
      used += part;
      from += part;
      to += part;
      bytes -= part;
    }
    return true;
  }

  bool flush() {
    if (used == 0)
      return true;
    used = 0;
    return succeeded(engine.device.loader.vk.EndCommandBuffer(commands), "vkEndCommandBuffer", reason) &&
           submit(engine.device, commands, reason) && wait_for(engine.device, engine.device.meeting.submitted, reason);
  }

private:
  Engine &engine;
  DeviceBuffer &staging;
  VkCommandBuffer commands;
  Reason &reason;
  uint64_t used = 0;
};

/// Calls `copy(from, to, bytes)` for each weight that the GPU reads, until a call returns false.
template <typename Copy> bool for_each_weight(const Engine &engine, Copy copy) {
  const nacre_model_table &model = *engine.session->model;
  for (uint32_t i = 0; i < model.weight_count; ++i) {
    const Region &region = engine.layout.weights[i];
    if (region.on_gpu && !copy(engine.session->weights + model.weights[i].offset, region.begin, region.bytes))
      return false;
  }
  return true;
}

bool stage(Engine &engine, DeviceBuffer &staging, Reason &reason) {
  const uint64_t bytes = engine.layout.weight_bytes < kStagingBytes ? engine.layout.weight_bytes : kStagingBytes;
  VkCommandBuffer commands = {};
  if (!make_buffer(engine.device, bytes, Placing::WrittenByTheCpu, staging, reason) ||
      !make_commands(engine.device, 1, &commands, reason))
    return false;
  Stager stager(engine, staging, commands, reason);
  return for_each_weight(engine,
                         [&](const char *from, uint64_t to, uint64_t bytes) { return stager.copy(from, to, bytes); }) &&
         stager.flush();
}

} // namespace

bool upload_weights(Engine &engine, Reason &reason) {
  if (engine.layout.weight_bytes == 0)
    return true;
  const bool unified = engine.device.traits.unified;
  if (!make_buffer(engine.device, engine.layout.weight_bytes, unified ? Placing::WrittenByTheCpu : Placing::OfTheGpu,
                   engine.weights, reason))
    return false;
  if (unified)
    return for_each_weight(engine, [&](const char *from, uint64_t to, uint64_t bytes) {
      __builtin_memcpy(engine.weights.mapped + to, from, bytes);
      return true;
    });
  DeviceBuffer staging = {};
  const bool good = stage(engine, staging, reason);
  if (!good)
    engine.device.loader.vk.DeviceWaitIdle(engine.device.handle); // The copy may still be in progress.
  destroy_buffer(engine.device, staging);
  return good;
}

} // namespace nacre::runtime::gpu
