// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that read one copy of the state and write the other.
// Why: a run that fails must leave the state unchanged, and no run should copy the whole state.
// How: the second recording equals the first one, but with the places of the copies exchanged.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

/// Exchanges the copies in the layout and the schedule, which then describe a run that reads the other copy.
void exchange_copies(Engine &engine) {
  Layout &layout = engine.layout;
  auto exchange = [&layout](List<Copy> &copies) {
    for (Copy &copy : copies) {
      const uint64_t bytes = copy.end - copy.begin;
      copy.begin = placed(layout, copy.begin, 1);
      copy.end = copy.begin + bytes;
    }
  };
  exchange(engine.schedule.uploads);
  exchange(engine.schedule.downloads);
  const uint64_t begin = layout.state.begin;
  layout.state.begin = layout.next_state.begin;
  layout.next_state.begin = begin;
}

/// Like run_launch(), but with operands in both copies of the state.
void run_on_copies(Engine &engine, const Part &part) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  const nacre_step &step = entry.steps[part.step];
  Memory next = engine.memory;
  next.state = engine.states[1 - engine.current];
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = entry.operands[step.first_operand + i];
    session.pointers[i] =
        address_of(session, is_next(part, i, operand) ? next : engine.memory, operand) + operand.step * part.iteration;
  }
  run_resolved(session, engine.launches[part.step], part.iteration);
}

} // namespace

bool record_second(Engine &engine, Reason &reason) {
  Recording &second = engine.recordings[1];
  if (!has_two_states(engine.layout) || !engine.layout.state.on_gpu) {
    second = engine.recordings[0];
    second.descriptors = {};
    return true;
  }
  exchange_copies(engine);
  const bool good = record(engine, second, reason);
  exchange_copies(engine);
  return good;
}

uint64_t to_copy(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand) {
  return has_two_states(layout) && is_next(part, i, operand) ? to_next_state(layout) : 0;
}

void record_move(Engine &engine, VkCommandBuffer commands, const Part &part) {
  const VulkanApi &vk = engine.device.loader.vk;
  const Layout &layout = engine.layout;
  const ByteRange &bytes = engine.schedule.moves[uint32_t(part.iteration)];
  constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  vk.CmdPipelineBarrier(commands, stages, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  const VkBufferCopy region = {layout.state.begin + bytes.begin, layout.next_state.begin + bytes.begin,
                               bytes.end - bytes.begin};
  vk.CmdCopyBuffer(commands, engine.storages.buffer, engine.storages.buffer, 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void run_part_on_copies(Engine &engine, const Part &part, RunLimits &limits, uint64_t start) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  char *next = engine.states[1 - engine.current];
  if (part.step == kMove) {
    const ByteRange &bytes = engine.schedule.moves[uint32_t(part.iteration)];
    __builtin_memcpy(next + bytes.begin, engine.states[engine.current] + bytes.begin, bytes.end - bytes.begin);
    return;
  }
  if (entry.steps[part.step].kind != NACRE_STEP_LAUNCH) {
    Memory memory = engine.memory;
    memory.state = next;
    return run_steps(session, memory, engine.launches, part.step, stretch_at(entry, part.step).end, limits, start);
  }
  const uint64_t begin = session.view.times ? now() : 0;
  run_on_copies(engine, part);
  if (session.view.times)
    time_launch(session.view.times[part.step], start, begin);
}

bool commit(Engine &engine, Reason &reason) {
  // If a GPU is lost, the data in its memory is lost, too. So the session's state must be updated from time to time.
  const bool tells = !engine.unified && commits_ahead(engine) + 1 >= kMostCommitsAhead;
  if (tells && !download_state(engine, 1 - engine.current, reason))
    return false;
  engine.current = 1 - engine.current; // The copies exchange roles, and no data is copied.
  ++engine.commits;
  if (tells)
    engine.known_commits = engine.commits;
  engine.state_writes = ++engine.session->state->writes; // Other sessions that share the state then copy it again.
  return true;
}

} // namespace nacre::runtime::gpu
