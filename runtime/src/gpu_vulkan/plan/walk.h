// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over a run to plan it.
// Why: models without variables link a walk without code for states. So there are two instances of the template, each
//      in its own file.
// How: 1. accesses and their conflicts; 2. the current phase; 3. the walk over all executions.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_WALK_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_WALK_H

#include "runtime/src/gpu_vulkan/plan/accesses.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/plan/residence.h"
#include "runtime/src/gpu_vulkan/plan/state_plan.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace { // Each file has one instance of the template, so functions that are called once are inlined.

// --- 1. Accesses, and their conflicts

/// Returns the range of bytes that an operand covers in the iterations [first, last] of its loop. Each iteration moves
/// the operand by the same distance.
Access access_of(const nacre_operand &operand, int64_t first, int64_t last, const Layout &layout) {
  const Region &region = region_of(layout, operand);
  const uint64_t region_end = region.begin + region.bytes;
  const int64_t least = operand.step < 0 ? last : first, most = operand.step < 0 ? first : last;
  const uint64_t at = region.begin + operand.offset;
  const uint64_t begin = at + uint64_t(operand.step) * uint64_t(least);
  // An operand without a size may access its whole region.
  const uint64_t end = operand.bytes ? at + uint64_t(operand.step) * uint64_t(most) + operand.bytes : region_end;
  return {begin < region_end ? begin : region_end, end < region_end ? end : region_end, operand.access != NACRE_READ};
}

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

  /// Begins a new phase if an execution with these accesses cannot join the current one.
  __attribute__((always_inline)) void prepare(bool on_gpu, bool on_cpu, const List<Access> &accesses) {
    // If one part begins a new phase, the other part also does. Otherwise the two parts would not run at the same time.
    if ((on_gpu && conflict(accesses, cpu)) || (on_cpu && conflict(accesses, gpu)))
      close();
  }

  /// Adds the parts of an execution on the GPU, the CPU, or both. `accesses` are the accesses of either part.
  void add(const Part &part, bool on_gpu, bool on_cpu, const List<Access> &accesses) {
    prepare(on_gpu, on_cpu, accesses);
    if (on_gpu) {
      Part added = part;
      added.barrier = conflict(accesses, gpu, since_barrier);
      if (added.barrier) {
        since_barrier = gpu.count;
        ++schedule.barriers;
      }
      schedule.gpu.add(pool, added);
      append(gpu, accesses, true);
    }
    if (on_cpu) {
      schedule.cpu.add(pool, part);
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
      if (!by_gpu)
        schedule.reach(access.end);
      if (residence)
        residence->use(access.begin, access.end, by_gpu, access.writes, schedule.phases.count, schedule);
    }
  }

  Schedule &schedule;
  Residence *residence; // Null if memory is unified.
  MemoryPool &pool;
  List<Access> gpu = {}; // Accesses of the current phase.
  List<Access> cpu = {};
  uint32_t since_barrier = 0; // Index in `gpu` of the first access after the latest barrier.
};

// --- 3. The walk

/// Range of the state, and the memories that have its current data after a run.
struct Left {
  uint64_t begin; // Offset in the state.
  uint64_t end;
  bool on_cpu;
  bool on_gpu;
};

/// Walk over a run. `states` is nullptr if the entry does not write the state. If `has_states` is false, no code for
/// states is generated.
template <bool has_states> class Walk {
public:
  Walk(const nacre_entry &of, const Share *by, const Layout &in, StatePlan *with, bool unified, MemoryPool &from,
       Schedule &into)
      : entry(of), shares(by), layout(in), pool(from), schedule(into), residence(layout.buffer_bytes, pool),
        states(with), planner(into, unified ? nullptr : &residence, pool) {}

  /// Plans the run. `left` tells which memories have the state after the previous run.
  bool run(const List<Left> &left) {
    begin_run(left);
    if constexpr (has_states)
      if (states && !states->begin())
        return false;
    const bool all = walk_stretches(
        entry, kMaxExecutions, [&](uint32_t step, int64_t iteration) { add_launch(step, iteration); },
        [&](uint32_t first, uint32_t end) { add_decision(first, end); });
    planner.close();
    return all;
  }

  /// Ends the plan that run() made. Adds to `left` which memories have the state after this run. If `brings`, also
  /// plans the copies to the CPU's memory of outputs and of the state that the CPU reads.
  void end_run(bool brings, List<Left> &left) {
    for (uint32_t i = 0; brings && i < entry.output_count; ++i)
      if (const Region &region = layout.outputs[i]; region.on_gpu)
        residence.bring_to_cpu(region.begin, schedule.reach(region.begin + region.bytes), schedule);
    if constexpr (has_states)
      if (states)
        leave_state(brings, left);
  }

private:
  void leave_state(bool brings, List<Left> &left) {
    // The next run reads the copy that this run has written.
    for (const ByteRange &wanted : states->wanted_by_cpu)
      if (brings && layout.state.on_gpu)
        residence.bring_to_cpu(wanted.begin + layout.next_state.begin, wanted.end + layout.next_state.begin, schedule);
    states->copies.for_each_written([&](uint64_t begin, uint64_t end) {
      if (!brings || !layout.state.on_gpu)
        return left.add(pool, {begin, end, true, true});
      const uint64_t next = layout.next_state.begin;
      residence.for_each(begin + next, end + next, [&](uint64_t from, uint64_t to, bool on_cpu, bool on_gpu) {
        left.add(pool, {from - next, to - next, on_cpu, on_gpu});
      });
    });
  }

  void begin_run(const List<Left> &left) {
    if constexpr (has_states)
      for (const Left &piece : left)
        if (layout.state.on_gpu)
          residence.put(piece.begin + layout.state.begin, piece.end + layout.state.begin, piece.on_cpu, piece.on_gpu);
    for (uint32_t i = 0; i < entry.input_count; ++i)
      if (const Region &region = layout.inputs[i]; region.on_gpu)
        residence.put_on_cpu(region.begin, schedule.reach(region.begin + region.bytes));
  }

  /// Adds the moves that a part needs, and then the part, in the same phase. Neither engine may begin its part before a
  /// move has ended. So the CPU makes the moves of a launch that both engines compute.
  void add(const Part &part, bool on_gpu, bool on_cpu) {
    if constexpr (has_states)
      if (states && states->moves.count != 0)
        add_moves(on_gpu, on_cpu);
    planner.add(part, on_gpu, on_cpu, accesses);
  }

  void add_moves(bool on_gpu, bool on_cpu) {
    planner.prepare(on_gpu, on_cpu, accesses);
    for (const ByteRange &move : states->moves) {
      move_accesses.count = 0;
      if (layout.state.on_gpu) {
        move_accesses.add(pool, {layout.state.begin + move.begin, layout.state.begin + move.end, false});
        move_accesses.add(pool, {layout.next_state.begin + move.begin, layout.next_state.begin + move.end, true});
      }
      if (on_cpu)
        states->wanted_by_cpu.add(pool, move);
      planner.add({kMove, false, int64_t(schedule.moves.count), nullptr}, !on_cpu, on_cpu, move_accesses);
      schedule.moves.add(pool, move);
      schedule.gpu_moves += !on_cpu;
    }
    states->moves.count = 0;
  }

  void add_launch(uint32_t step, int64_t iteration) {
    if (pool.failed())
      return;
    const bool on_gpu = shares[step].on_gpu(), on_cpu = shares[step].on_cpu();
    const bool *next = nullptr;
    if constexpr (has_states)
      next = states ? states->choose(step, iteration, on_cpu) : nullptr;
    accesses.count = 0;
    const Part part = {step, false, iteration, next};
    for_each_operand(entry, entry.steps[step], [&](uint32_t i, const nacre_operand &operand) {
      touch(operand, iteration, iteration, has_states && is_next(part, i, operand));
    });
    add(part, on_gpu, on_cpu);
  }

  void add_decision(uint32_t first, uint32_t end) {
    if constexpr (has_states)
      if (states)
        states->take_over(first, end);
    accesses.count = 0;
    for_each_operand(entry, first, end, [&](const nacre_operand &operand, int64_t last) {
      touch(operand, 0, last, has_states && operand.space == NACRE_SPACE_STATE);
    });
    add({first, false, 0, nullptr}, false, true);
  }

  /// Adds the access of an operand in the iterations [first, last]. Regions that the GPU never accesses cause no
  /// conflicts, so they are skipped.
  void touch(const nacre_operand &operand, int64_t first, int64_t last, bool is_next) {
    if (!region_of(layout, operand).on_gpu)
      return;
    Access access = access_of(operand, first, last, layout);
    if constexpr (has_states)
      if (is_next && states) {
        access.begin += to_next_state(layout);
        access.end += to_next_state(layout);
      }
    accesses.add(pool, access);
  }

  const nacre_entry &entry;
  const Share *shares;
  const Layout &layout;
  MemoryPool &pool;
  Schedule &schedule;
  Residence residence; // Unused if memory is unified.
  StatePlan *states;
  Planner planner;
  List<Access> accesses = {}, move_accesses = {};
};

} // namespace
} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_WALK_H
