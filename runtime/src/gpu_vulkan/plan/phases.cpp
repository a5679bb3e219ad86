// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see phases.h.
// Why:   see there.
// How:   1. conflicts of accesses, 2. the current phase, 3. the walk over all executions.
//        Where memories are two, the plan of a run depends on where the one before has left the state, so there are two walks.

#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/plan/accesses.h"
#include "runtime/src/gpu_vulkan/plan/residence.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. Conflicts

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
  void prepare(bool on_gpu, bool on_cpu, const List<Access> &accesses) {
    // Both begin a new phase even where one could still join: only then do they run at the same time.
    if ((on_gpu && conflict(accesses, cpu)) || (on_cpu && conflict(accesses, gpu)))
      close();
  }

  /// Both parts of an execution, or one: they touch the same bytes.
  void add(Part part, bool on_gpu, bool on_cpu, const List<Access> &accesses) {
    prepare(on_gpu, on_cpu, accesses);
    if (on_gpu) {
      const bool barrier = conflict(accesses, gpu, since_barrier);
      if (barrier) {
        since_barrier = gpu.count;
        ++schedule.barriers;
      }
      part.barrier = barrier;
      schedule.gpu.add(pool, part);
      append(gpu, accesses, true);
    }
    if (on_cpu) {
      part.barrier = false;
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
      if (!by_gpu && access.end > schedule.cpu_bytes)
        schedule.cpu_bytes = access.end;
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

/// Where a run leaves what it writes of the state: in which memories.
struct Left {
  uint64_t begin; // in the state
  uint64_t end;
  bool on_cpu;
  bool on_gpu;
};

class Walk {
public:
  Walk(const nacre_entry &of, const Share *by, const Layout &in, const StateRules *with, bool unified, MemoryPool &from,
       Schedule &into)
      : entry(of), shares(by), layout(in), pool(from), schedule(into), residence(layout.buffer_bytes, pool),
        rules(with), plan(of, in, from), states(has_two_states(in) ? &plan : nullptr),
        planner(into, unified ? nullptr : &residence, pool) {}

  /// `left`: by the run before.
  bool run(const List<Left> &left) {
    begin_run(left);
    bool all = !states || rules->begin(*states);
    all = all && walk_stretches(
                     entry, kMaxExecutions, [&](uint32_t step, int64_t iteration) { add_launch(step, iteration); },
                     [&](uint32_t first, uint32_t end) { add_decision(first, end); });
    planner.close();
    return all;
  }

  /// After run. `left`: by this run. Where memories are two, `brings`: copies to the CPU what it needs.
  void end_run(bool brings, List<Left> &left) {
    for (uint32_t i = 0; brings && i < entry.output_count; ++i)
      if (const Region &region = layout.outputs[i]; region.on_gpu)
        residence.bring_to_cpu(region.begin, region.begin + region.bytes, schedule);
    if (!states)
      return;
    // The next run reads it where this one has written it.
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

private:
  void begin_run(const List<Left> &left) {
    for (const Left &piece : left)
      if (layout.state.on_gpu)
        residence.put(piece.begin + layout.state.begin, piece.end + layout.state.begin, piece.on_cpu, piece.on_gpu);
    for (uint32_t i = 0; i < entry.input_count; ++i)
      if (const Region &region = layout.inputs[i]; region.on_gpu)
        residence.put_on_cpu(region.begin, region.begin + region.bytes);
  }

  void add_access(const nacre_operand &operand, int64_t first, int64_t last, bool is_next) {
    if (region_of(layout, operand).on_gpu) // what the GPU never touches is in no one's way
      accesses.add(pool, access_of(operand, first, last, layout, is_next));
  }

  /// Adds a part, after the moves that it needs, in its phase. Neither engine must begin before a move has ended, so the CPU makes those
  /// of a launch that both compute.
  void add(const Part &part, bool on_gpu, bool on_cpu) {
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
    }
    states->moves.count = 0;
  }

  void add_launch(uint32_t step, int64_t iteration) {
    if (pool.failed())
      return;
    const bool on_gpu = shares[step].on_gpu(), on_cpu = shares[step].on_cpu();
    const bool *next = states ? rules->choose(*states, step, iteration, on_cpu) : nullptr;
    accesses.count = 0;
    const Part part = {step, false, iteration, next};
    for_each_operand(entry, entry.steps[step], [&](uint32_t i, const nacre_operand &operand) {
      add_access(operand, iteration, iteration, states && is_next(part, i, operand));
    });
    add(part, on_gpu, on_cpu);
  }

  void add_decision(uint32_t first, uint32_t end) {
    if (states)
      rules->take_over(*states, first, end);
    accesses.count = 0;
    for_each_operand(entry, first, end, [&](const nacre_operand &operand, int64_t last) {
      add_access(operand, 0, last, states && operand.space == NACRE_SPACE_STATE);
    });
    add({first, false, 0, nullptr}, false, true);
  }

  const nacre_entry &entry;
  const Share *shares;
  const Layout &layout;
  MemoryPool &pool;
  Schedule &schedule;
  Residence residence; // of no use where memory is unified
  const StateRules *rules;
  StatePlan plan;
  StatePlan *states; // the plan, where there are two copies
  Planner planner;
  List<Access> accesses = {}, move_accesses = {};
};

} // namespace

bool plan_phases(const nacre_entry &entry, const Share *shares, const Layout &layout, const StateRules *rules,
                 bool unified, MemoryPool &pool, Schedule &schedule) {
  const bool brings = !unified, depends = brings && has_two_states(layout) && layout.state.on_gpu;
  List<Left> left = {};
  for (int walks = depends ? 2 : 1; walks > 0; --walks) {
    schedule = {};
    Walk walk(entry, shares, layout, rules, unified, pool, schedule);
    if (pool.failed() || !walk.run(left))
      return false;
    left.count = 0;
    walk.end_run(brings, left);
  }
  for (const Left &piece : left)
    schedule.written.add(pool, {piece.begin, piece.end, piece.on_cpu});
  // Either copy may be the one that the CPU touches.
  const uint64_t state_end = layout.next_state.begin + layout.next_state.bytes;
  if (depends && schedule.cpu_bytes > layout.state.begin)
    schedule.cpu_bytes = state_end;
  auto reach = [&schedule](uint64_t end) { schedule.cpu_bytes = end > schedule.cpu_bytes ? end : schedule.cpu_bytes; };
  for (const Copy &copy : schedule.uploads)
    reach(copy.end);
  for (const Copy &copy : schedule.downloads)
    reach(copy.end);
  for (uint32_t i = 0; i < entry.input_count; ++i)
    if (layout.inputs[i].on_gpu)
      reach(layout.inputs[i].begin + layout.inputs[i].bytes);
  for (uint32_t i = 0; i < entry.output_count; ++i)
    if (layout.outputs[i].on_gpu)
      reach(layout.outputs[i].begin + layout.outputs[i].bytes);
  return !pool.failed();
}

} // namespace nacre::runtime::gpu
