// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what launches cost on the GPU, and how they were cut.
// Why:   nacre_session_launch_time tells it.
// How:   a part's time is what passes between the end of all before it in its batch and its own end: the times of a
//        batch add up.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"

namespace nacre::runtime::gpu {

bool note_times(Engine &engine, uint32_t phase, uint64_t begun, Reason &reason) {
  if (!engine.ticks)
    return true;
  const List<Phase> &phases = engine.schedule.phases;
  const uint32_t first = phase ? phases[phase - 1].gpu_end : 0;
  const uint32_t count = phases[phase].gpu_end - first + 1;
  if (!succeeded(engine.device.loader.vk.GetQueryPoolResults(engine.device.handle, engine.queries,
                                                             engine.batches[phase].first_query, count,
                                                             count * sizeof(uint64_t), engine.ticks, sizeof(uint64_t),
                                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults", reason))
    return false;
  const Traits &traits = engine.device.traits;
  const uint64_t mask = traits.timestamp_bits < 64 ? (uint64_t(1) << traits.timestamp_bits) - 1 : UINT64_MAX;
  auto between = [&](uint32_t from, uint32_t to) {
    return uint64_t(double((engine.ticks[to] - engine.ticks[from]) & mask) * double(traits.timestamp_period));
  };
  for (uint32_t i = 1; i < count; ++i) {
    const Part &part = engine.schedule.gpu[first + i - 1];
    nacre_launch_time &time = engine.session->times[part.step];
    if (time.gpu_total == 0 && time.executions == 0)
      time.begin = begun + between(0, i - 1);
    time.gpu_total += between(i - 1, i);
    if (!engine.shares[part.step].on_cpu())
      ++time.executions; // else the CPU's part counts it
  }
  return true;
}

void note_shares(Engine &engine) {
  const nacre_entry &entry = *engine.session->entry;
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    nacre_launch_time &time = engine.session->times[i];
    const Share &share = engine.shares[i];
    time.total = time.cpu_total > time.gpu_total ? time.cpu_total : time.gpu_total;
    time.cpu_share = share.cpu_end - share.cpu_begin;
    time.gpu_share = share.gpu_end - share.gpu_begin;
    time.cut_extent = entry.steps[i].cut_extent;
  }
}

} // namespace nacre::runtime::gpu
