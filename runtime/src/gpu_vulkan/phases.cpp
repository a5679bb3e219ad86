// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see phases.h.
// Why:   see there.
// How:   1. accesses and their conflicts, 2. the current phase, 3. the walk over all executions.

#include "runtime/src/gpu_vulkan/phases.h"
#include "runtime/src/gpu_vulkan/residence.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. Accesses

struct Access {
  uint64_t begin;
  uint64_t end;
  bool writes;
};

bool conflict(const Access &a, const Access &b) { return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end; }

bool conflict(const List<Access> &some, const List<Access> &others, uint32_t from = 0) {
  for (const Access &a : some)
    for (uint32_t i = from; i < others.count; ++i)
      if (conflict(a, others[i]))
        return true;
  return false;
}

// --- 2. The current phase

class Planner {
public:
  Planner(Schedule &into, Residence *where, MemoryPool &from) : schedule(into), residence(where), pool(from) {}

  /// Both parts of an execution, or one: they touch the same bytes.
  void add(uint32_t step, int64_t iteration, bool on_gpu, bool on_cpu, const List<Access> &accesses) {
    // Both begin a new phase even where one could still join: only then do they run at the same time.
    if ((on_gpu && conflict(accesses, cpu)) || (on_cpu && conflict(accesses, gpu)))
      close();
    if (on_gpu) {
      const bool barrier = conflict(accesses, gpu, since_barrier);
      if (barrier) {
        since_barrier = gpu.count;
        ++schedule.barriers;
      }
      schedule.gpu.add(pool, {step, barrier, iteration});
      append(gpu, accesses, true);
    }
    if (on_cpu) {
      schedule.cpu.add(pool, {step, false, iteration});
      append(cpu, accesses, false);
    }
  }

  void close() {
    schedule.phases.add(pool, {schedule.gpu.count, schedule.cpu.count});
    gpu.count = cpu.count = since_barrier = 0;
  }

private:
  void append(List<Access> &list, const List<Access> &accesses, bool by_gpu) {
    for (const Access &access : accesses) {
      list.add(pool, access);
      if (residence)
        residence->use(access.begin, access.end, by_gpu, access.writes, schedule.phases.count, schedule);
    }
  }

  Schedule &schedule;
  Residence *residence; // nullptr where memory is unified
  MemoryPool &pool;
  List<Access> gpu = {}; // of the current phase
  List<Access> cpu = {};
  uint32_t since_barrier = 0; // the first of `gpu` after the latest barrier
};

// --- 3. The walk

/// What a step touches in the turns [first, last] of its loop.
void collect(const nacre_entry &entry, const nacre_step &step, int64_t first, int64_t last, const Layout &layout,
             MemoryPool &pool, List<Access> &accesses) {
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = entry.operands[step.first_operand + i];
    // Weights are never written; and what the GPU never touches is in no one's way.
    if (operand.space == NACRE_SPACE_WEIGHT || !region_of(layout, operand).on_gpu)
      continue;
    const Region &region = region_of(layout, operand);
    const uint64_t region_end = region.begin + region.bytes;
    const int64_t moves = operand.step < 0 ? last : first, moved = operand.step < 0 ? first : last;
    const uint64_t begin = begin_of(layout, operand, moves);
    // Of what the table does not say, the worst is assumed.
    const uint64_t end = operand.bytes ? begin_of(layout, operand, moved) + operand.bytes : region_end;
    accesses.add(pool, {begin, end < region_end ? end : region_end, operand.access != NACRE_READ});
  }
}

/// What the steps [first, end) touch, however a run goes through them.
void collect_all(const nacre_entry &entry, uint32_t first, uint32_t end, const Layout &layout, MemoryPool &pool,
                 List<Access> &accesses) {
  int64_t turns[1 + NACRE_MAX_LOOP_DEPTH] = {1};
  uint32_t depth = 0;
  for (uint32_t i = first; i < end; ++i) {
    const nacre_step &step = entry.steps[i];
    collect(entry, step, 0, turns[depth] - 1, layout, pool, accesses);
    if (step.kind == NACRE_STEP_LOOP_BEGIN)
      turns[++depth] = step.trip_count;
    else if (step.kind == NACRE_STEP_LOOP_END)
      --depth;
  }
}

void end_run(const nacre_entry &entry, const Layout &layout, Residence &residence, Schedule &schedule) {
  auto bring = [&](const Region &region) {
    if (region.on_gpu)
      residence.bring_to_cpu(region.begin, region.begin + region.bytes, schedule);
  };
  bring(layout.state);
  for (uint32_t i = 0; i < entry.output_count; ++i)
    bring(layout.outputs[i]);
}

void begin_run(const nacre_entry &entry, const Layout &layout, Residence &residence) {
  auto put = [&](const Region &region) {
    if (region.on_gpu)
      residence.put_on_cpu(region.begin, region.begin + region.bytes);
  };
  if (writes_state(entry)) // else both have it: upload_state
    put(layout.state);
  for (uint32_t i = 0; i < entry.input_count; ++i)
    put(layout.inputs[i]);
}

} // namespace

bool plan_phases(const nacre_entry &entry, const Share *shares, const Layout &layout, bool unified, MemoryPool &pool,
                 Schedule &schedule) {
  Residence residence(layout.buffer_bytes, pool);
  if (pool.failed())
    return false;
  begin_run(entry, layout, residence);
  Planner planner(schedule, unified ? nullptr : &residence, pool);
  List<Access> accesses = {};
  auto add_launch = [&](uint32_t step, int64_t iteration) {
    if (pool.failed())
      return;
    accesses.count = 0;
    collect(entry, entry.steps[step], iteration, iteration, layout, pool, accesses);
    planner.add(step, iteration, shares[step].on_gpu(), shares[step].on_cpu(), accesses);
  };
  const bool all = walk_stretches(entry, kMaxExecutions, add_launch, [&](uint32_t first, uint32_t end) {
    accesses.count = 0;
    collect_all(entry, first, end, layout, pool, accesses);
    planner.add(first, 0, false, true, accesses);
  });
  planner.close();
  if (!unified)
    end_run(entry, layout, residence, schedule);
  return !pool.failed() && all;
}

} // namespace nacre::runtime::gpu
