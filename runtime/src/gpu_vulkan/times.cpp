// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the GPU's times of launches, and their cuts, for nacre_session_launch_time.
// How: the time of a part is the time between the end of all earlier parts of its batch and its own end. So the times
//      of a batch add up. The first time stamp of a run is the zero of the GPU's clock.

#include "runtime/src/gpu_vulkan/engine.h"

namespace nacre::runtime::gpu {

namespace {

void note_shares(Engine &engine) {
  const nacre_entry &entry = *engine.session->view.entry;
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    nacre_launch_time &time = engine.session->view.times[i];
    const Share &share = engine.shares[i];
    time.total = time.cpu_total > time.gpu_total ? time.cpu_total : time.gpu_total;
    time.cpu_share = share.cpu_end - share.cpu_begin;
    time.gpu_share = share.gpu_end - share.gpu_begin;
    time.cut_extent = entry.steps[i].cut_extent;
  }
}

void note_part(Engine &engine, const Part &part, uint64_t begin, uint64_t duration) {
  if (part.step == kMove)
    return;
  nacre_launch_time &time = engine.session->view.times[part.step];
  if (time.gpu_total == 0 && time.executions == 0)
    time.begin = begin;
  time.gpu_total += duration;
  if (!engine.shares[part.step].on_cpu())
    ++time.executions; // If the CPU also has a part, that part counts the execution.
}

} // namespace

bool note_times(Engine &engine, uint64_t begun, Reason &reason) {
  if (!engine.session->view.times)
    return true;
  if (engine.ticks) {
    const uint32_t count = engine.schedule.gpu.count + engine.recordings[0].submissions.count;
    if (!succeeded(engine.device.loader.vk.GetQueryPoolResults(engine.device.handle, engine.queries, 0, count,
                                                               count * sizeof(uint64_t), engine.ticks, sizeof(uint64_t),
                                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                   "vkGetQueryPoolResults", reason))
      return false;
    const Traits &traits = engine.device.traits;
    const uint64_t mask = traits.timestamp_bits < 64 ? (uint64_t(1) << traits.timestamp_bits) - 1 : UINT64_MAX;
    auto between = [&](uint32_t from, uint32_t to) {
      return uint64_t(double((engine.ticks[to] - engine.ticks[from]) & mask) * double(traits.timestamp_period));
    };
    uint32_t part = 0;
    for (uint32_t phase = 0; phase < engine.schedule.phases.count; ++phase)
      for (uint32_t query = engine.recordings[0].batches[phase].first_query;
           part < engine.schedule.phases[phase].gpu_end; ++query)
        note_part(engine, engine.schedule.gpu[part++], begun + between(0, query), between(query, query + 1));
  }
  note_shares(engine);
  return true;
}

} // namespace nacre::runtime::gpu
