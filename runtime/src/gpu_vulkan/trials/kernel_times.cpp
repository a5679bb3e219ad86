// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the time of each kernel on each engine and with cuts between them, and derives a placement.
// Why: a measurement on the device is more accurate than the compiler's estimate.
// How: uses the shortest time of a few iterations, because other programs lengthen some of them. A batch of several
//      launches shows the time on the GPU without a meeting.

#include "runtime/src/gpu_vulkan/trials/measuring.h"

namespace nacre::runtime::gpu {
namespace {

constexpr Placement kCuts[] = {Cut25, Cut50, Cut75};

uint64_t time_batch(const Measuring &measuring, Rehearsal &rehearsal, uint32_t iterations) {
  return least_time(iterations, measuring.patience(), [&] { return begin(rehearsal) && end(rehearsal); });
}

/// Returns the time of the GPU's share in a sequence of GPU launches, without a meeting.
uint64_t time_on_gpu(const Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  constexpr uint32_t more = 8;
  if (!record(rehearsal, part, 1, false))
    return kImpossible;
  const uint64_t one = time_batch(measuring, rehearsal, 3);
  if (one == kImpossible || one > 16 * measuring.meeting)
    return one == kImpossible ? one : one - measuring.meeting;
  if (!record(rehearsal, part, 1 + more, false))
    return kImpossible;
  const uint64_t all = time_batch(measuring, rehearsal, 2);
  return all == kImpossible ? all : all > one ? (all - one) / more : 0;
}

uint64_t time_cut(const Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  const Session &session = *measuring.engine.session;
  const nacre_step &step = session.view.entry->steps[part.step];
  const Share &share = measuring.engine.shares[part.step];
  const Launch launch = prepare_launch(*choose_variant(session.model->kernels[step.kernel], measuring.cpu_features),
                                       share.cpu_begin, share.cpu_end, session.executor->threads);
  if (!record(rehearsal, part, 1, false))
    return kImpossible;
  return least_time(3, measuring.patience(), [&] {
    if (!begin(rehearsal))
      return false;
    run_launch(session, session.view.memory, step, launch, part.iteration);
    return end(rehearsal);
  });
}

bool time_kernel(Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const uint32_t kernel = session.view.entry->steps[part.step].kernel;
  Times &times = measuring.times[kernel];
  for (uint64_t &time : times.of)
    time = kImpossible;
  bring(rehearsal, part);
  if (!engine.unified && !(record(rehearsal, part, 0, true) && begin(rehearsal) && end(rehearsal)))
    return false;
  times.of[OnCpu] = least_time(3, measuring.patience(), [&] { return compute_on_cpu(session, part), true; });
  for (uint32_t variant = 1; variant <= session.model->kernels[kernel].gpu_count && variant <= kMaxVariants;
       ++variant) {
    if (!wish_for(measuring, part, OnGpu, variant))
      continue;
    const uint64_t time = time_on_gpu(measuring, rehearsal, part);
    if (time == kImpossible)
      return false;
    if (time < times.of[OnGpu]) {
      times.of[OnGpu] = time;
      times.variant = variant;
    }
  }
  // Lower bound of a cut's time: both engines at full speed, and their meeting.
  const double cpu = double(times.of[OnCpu]), gpu = double(times.of[OnGpu]);
  const bool can_win = cpu * gpu / (cpu + gpu + 1) + double(measuring.meeting) < (cpu < gpu ? cpu : gpu);
  for (const Placement cut : kCuts) {
    if (!engine.unified || !times.variant || !can_win || !wish_for(measuring, part, cut, times.variant))
      continue;
    times.of[cut] = time_cut(measuring, rehearsal, part);
    if (times.of[cut] == kImpossible)
      return false;
  }
  times.known = true;
  return true;
}

/// Measures the time of a meeting, and the time to copy a byte between the memories.
bool time_meeting(Measuring &measuring, Rehearsal &rehearsal) {
  Engine &engine = measuring.engine;
  constexpr uint64_t most = 4 << 20;
  engine.schedule.uploads.count = engine.schedule.downloads.count = 0;
  if (!record(rehearsal, {}, 0, false) || (measuring.meeting = time_batch(measuring, rehearsal, 8)) == kImpossible)
    return false;
  if (engine.unified)
    return true;
  const uint64_t bytes = engine.layout.buffer_bytes < most ? engine.layout.buffer_bytes : most;
  engine.schedule.uploads.add(engine.pool, {0, 0, bytes});
  engine.schedule.downloads.add(engine.pool, {0, 0, bytes});
  uint64_t both = 0;
  if (!record(rehearsal, {}, 0, true) || (both = time_batch(measuring, rehearsal, 3)) == kImpossible)
    return false;
  measuring.nanoseconds = both > measuring.meeting ? double(both - measuring.meeting) / double(2 * bytes) : 0;
  return true;
}

Costs costs_of(const Measuring &measuring, const nacre_step &step, uint64_t executions) {
  const Session &session = *measuring.engine.session;
  const Times &times = measuring.times[step.kernel];
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.view.entry->operands[step.first_operand + i];
    bytes += operand.space != NACRE_SPACE_WEIGHT ? operand.bytes : 0;
  }
  const uint64_t copies = uint64_t(double(bytes) * measuring.nanoseconds);
  Costs costs = {{}, (measuring.meeting + copies) * executions, copies * executions};
  for (uint32_t p = 0; p < kPlacements; ++p)
    costs.of[p] = times.of[p] == kImpossible ? kImpossible : times.of[p] * executions;
  if (times.known)
    return costs;
  // A kernel that was not measured keeps its placement. A kernel without a GPU share stays on the CPU. So the costs do
  // not matter.
  for (uint64_t &cost : costs.of)
    cost = kImpossible;
  costs.of[measuring.seen[step.kernel] ? AsCompiled : OnCpu] = 0;
  return costs;
}

} // namespace

bool time_all(Measuring &measuring, Rehearsal &rehearsal) {
  const Session &session = *measuring.engine.session;
  return time_meeting(measuring, rehearsal) && walk(measuring, [&](const Part &part, bool first) {
           if (first && now() < measuring.deadline && !time_kernel(measuring, rehearsal, part))
             return false;
           compute_on_cpu(session, part);
           return true;
         });
}

bool decide(Measuring &measuring, Wish *wishes) {
  Engine &engine = measuring.engine;
  const nacre_entry &entry = *engine.session->view.entry;
  auto *executions = engine.pool.take_array<uint64_t>(entry.step_count);
  auto *costs = engine.pool.take_array<Costs>(entry.step_count);
  auto *placements = engine.pool.take_array<Placement>(entry.step_count);
  if (engine.pool.failed())
    return false;
  walk_stretches(
      entry, kMaxExecutions, [executions](uint32_t step, int64_t) { ++executions[step]; }, [](uint32_t, uint32_t) {});
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      costs[i] = costs_of(measuring, entry.steps[i], executions[i]);
  if (place(costs, entry.step_count, engine.pool, placements) == kImpossible)
    return false;
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      wishes[i] = {kCutOf[placements[i]],
                   placements[i] == AsCompiled ? 0u : measuring.times[entry.steps[i].kernel].variant, 0};
  return true;
}

} // namespace nacre::runtime::gpu
