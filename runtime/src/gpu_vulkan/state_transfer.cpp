// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers the state between a session and its engine.
// Why: data is transferred only when it is needed. A run that changes the state only exchanges the copies
//      (state_run.cpp).
// How: with one memory, the CPU copies. With two memories, the data is copied in pieces through memory that both
//      engines access. This is the mirror of inputs and outputs, which is free between runs, or a separate buffer if
//      the mirror is too small. The mirror also contains the part of the state that the CPU accesses in a run.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint64_t kStagingBytes = 1 << 20;

bool is_on_gpu_alone(const Engine &engine) { return !engine.unified && engine.layout.state.on_gpu; }

/// True if the mirror contains the state.
bool is_mirrored(const Engine &engine) { return engine.schedule.cpu_bytes > engine.layout.state.begin; }

/// Memory for a transfer of the state. Both engines access it, and it is free between runs.
struct Way {
  VkBuffer buffer;
  char *mapped;
  uint64_t bytes;
};

/// Returns the part of the mirror before the state, which is free between runs.
Way way_in_mirror(const Engine &engine) {
  const uint64_t begin = engine.layout.state.begin, bytes = engine.schedule.cpu_bytes;
  return {engine.mirror.buffer, engine.mirror.mapped, bytes < begin ? bytes : begin};
}

Way way_of(const Engine &engine) {
  const DeviceBuffer &staging = engine.staging;
  return staging.buffer ? Way{staging.buffer, staging.mapped, staging.bytes} : way_in_mirror(engine);
}

uint64_t begin_of_copy(const Engine &engine, uint32_t number) {
  return number ? engine.layout.next_state.begin : engine.layout.state.begin;
}

uint32_t copies(const Engine &engine) { return has_two_states(engine.layout) ? 2 : 1; }

bool begin(Engine &engine, Reason &reason) {
  Device &device = engine.device;
  VkCommandBuffer &commands = engine.state_commands;
  // If an earlier wait failed, a batch with these commands may still be in progress.
  return wait_for(device, device.meeting.submitted, reason) &&
         (commands || make_commands(device, 1, &commands, reason)) && begin_commands(device, commands, true, reason);
}

bool end(Engine &engine, Reason &reason) {
  Device &device = engine.device;
  return succeeded(device.loader.vk.EndCommandBuffer(engine.state_commands), "vkEndCommandBuffer", reason) &&
         submit(device, engine.state_commands, reason) && wait_for(device, device.meeting.submitted, reason);
}

/// Divides [begin, end) into pieces that fit the memory `way`. Calls `each(offset in the state, bytes)` for each piece,
/// until a call returns false.
template <typename Each> bool in_parts(const Way &way, uint64_t begin, uint64_t end, Each each) {
  for (uint64_t bytes; begin < end; begin += bytes) {
    bytes = end - begin < way.bytes ? end - begin : way.bytes;
    if (!each(begin, bytes))
      return false;
  }
  return true;
}

} // namespace

bool prepare_state(Engine &engine, Reason &reason) {
  const Layout &layout = engine.layout;
  const uint64_t bytes = layout.state.bytes;
  engine.current = 0;
  if (layout.state.on_gpu) {
    for (uint32_t i = 0; i < copies(engine); ++i)
      engine.states[i] = seen_by_cpu(engine) + begin_of_copy(engine, i);
  } else if (has_two_states(layout)) {
    for (char *&state : engine.states)
      state = engine.pool.take_array<char>(bytes);
  } else {
    engine.states[0] = engine.session->view.memory.state; // No run of this entry writes the state.
  }
  const bool stages = is_on_gpu_alone(engine) && bytes != 0;
  if (stages && has_two_states(layout))
    engine.arriving = engine.pool.take_array<char>(bytes);
  if (engine.pool.failed())
    return refuse_memory(reason);
  const uint64_t wanted = bytes < kStagingBytes ? bytes : kStagingBytes;
  return !stages || way_in_mirror(engine).bytes >= wanted ||
         make_buffer(engine.device, wanted, Placing::ReadByTheCpu, engine.staging, reason);
}

bool upload_state(Engine &engine, Reason &reason) {
  const Session &session = *engine.session;
  const Layout &layout = engine.layout;
  char *from = session.view.memory.state;
  if (!layout.state.on_gpu && !has_two_states(layout))
    engine.states[0] = from; // The state may be another one than during create.
  if (layout.state.bytes == 0 || (engine.has_state && engine.state_writes == session.state->writes))
    return true;
  engine.has_state = false;
  const Way way = way_of(engine);
  // Both copies are filled, because bytes that no run writes must be equal in both.
  for (uint32_t i = 0; i < copies(engine); ++i)
    if (engine.states[i] != from && (!is_on_gpu_alone(engine) || is_mirrored(engine)))
      __builtin_memcpy(engine.states[i], from, layout.state.bytes);
  auto upload = [&](uint64_t at, uint64_t bytes) {
    __builtin_memcpy(way.mapped, from + at, bytes);
    if (!begin(engine, reason))
      return false;
    const VkBufferCopy regions[] = {{0, layout.state.begin + at, bytes}, {0, layout.next_state.begin + at, bytes}};
    engine.device.loader.vk.CmdCopyBuffer(engine.state_commands, way.buffer, engine.storages.buffer, copies(engine),
                                          regions);
    // Waiting here is short compared with the call that changed the state. The next batch may need the fence.
    return end(engine, reason);
  };
  if (is_on_gpu_alone(engine) && !in_parts(way, 0, layout.state.bytes, upload))
    return false;
  engine.state_writes = session.state->writes;
  engine.known_commits = engine.commits;
  engine.has_state = true;
  return true;
}

bool download_state(Engine &engine, uint32_t from, Reason &reason) {
  const VulkanApi &vk = engine.device.loader.vk;
  // Another thread may call this while the session exchanges its view.
  char *to = engine.session->state->data;
  const Way way = way_of(engine);
  for (const Written &written : engine.schedule.written) {
    auto download = [&](uint64_t at, uint64_t bytes) {
      if (!begin(engine, reason))
        return false;
      VkMemoryBarrier barrier = {};
      barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
      barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
      barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
      vk.CmdPipelineBarrier(engine.state_commands,
                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
      const VkBufferCopy region = {begin_of_copy(engine, from) + at, 0, bytes};
      vk.CmdCopyBuffer(engine.state_commands, engine.storages.buffer, way.buffer, 1, &region);
      barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
      barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
      vk.CmdPipelineBarrier(engine.state_commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                            &barrier, 0, nullptr, 0, nullptr);
      if (!end(engine, reason))
        return false;
      __builtin_memcpy(engine.arriving + at, way.mapped, bytes);
      return true;
    };
    if (!written.on_cpu && !in_parts(way, written.begin, written.end, download))
      return false;
  }
  for (const Written &written : engine.schedule.written) {
    const char *source = written.on_cpu ? engine.states[from] : engine.arriving;
    __builtin_memcpy(to + written.begin, source + written.begin, written.end - written.begin);
  }
  return true;
}

} // namespace nacre::runtime::gpu
