// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plan of a run: its executions, divided into phases and engines.
// Why: CPU and GPU should meet as rarely as their data allows, and the GPU should only wait for itself where it must.
// How: in a phase, a batch of dispatches and a list of CPU parts run at the same time. A part begins a new phase if it
//      conflicts with a part of the other engine in the current one: both access the same bytes, and one writes them.
//      Otherwise it joins the current phase. The two parts of one execution never conflict. Uses no Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H

#include "runtime/src/gpu_vulkan/plan/layout.h"
#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"
#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

/// Step of a move: it copies bytes of the state from the copy that the run reads to the one that it writes.
constexpr uint32_t kMove = UINT32_MAX;

/// One engine's part of one execution of a launch, or a move, or a stretch that a run decides about. The CPU computes
/// such a stretch, in the copy of the state that the run writes; `step` is its first step, which is not a launch.
struct Part {
  uint32_t step;
  bool barrier;      // For the GPU: true if it must wait for the earlier dispatches of its batch.
  int64_t iteration; // For a move, its index.
  /// Marks the operands in the copy of the state that the run writes; nullptr if these are exactly the written ones.
  const bool *is_next;
};

/// True if operand number `i` of a launch is in the copy of the state that the run writes.
inline bool is_next(const Part &part, uint32_t i, const nacre_operand &operand) {
  return operand.space == NACRE_SPACE_STATE && (part.is_next ? part.is_next[i] : operand.access != NACRE_READ);
}

/// Bytes that one engine has written and the other reads, if their memories are separate.
struct Copy {
  uint32_t phase; // Phase whose batch copies: to the GPU before its dispatches, to the CPU after them.
  uint64_t begin; // Offset in the layout.
  uint64_t end;
};

struct Phase {
  uint32_t gpu_end; // End of the phase's parts, which begin at the end of the previous phase.
  uint32_t cpu_end;
};

/// Bytes of the state that a run writes.
struct Written {
  uint64_t begin; // Offset in the state.
  uint64_t end;
  bool on_cpu; // True if the CPU sees them when the run is over.
};

struct Schedule {
  List<Part> gpu;
  List<Part> cpu;
  List<ByteRange> moves;
  List<Phase> phases;
  List<Copy> uploads;
  List<Copy> downloads;
  List<Written> written;
  uint64_t cpu_bytes; // End of the bytes that the CPU or a copy accesses.
  uint32_t barriers;
  uint32_t gpu_moves; // Number of GPU parts that are moves.

  uint64_t reach(uint64_t end) {
    cpu_bytes = end > cpu_bytes ? end : cpu_bytes;
    return end;
  }
};

/// Largest number of executions in a run. More would make command buffers too large.
constexpr uint32_t kMaxExecutions = 1 << 17;

/// Divides a run into phases. `shares` has the shares of the entry's steps. Returns false if the pool failed or if
/// there are too many executions.
/// Unless `unified`, there are two memories: inputs are in the CPU's when a run begins, and outputs when it ends. The
/// state is where the previous run left it, or in both memories if it was written otherwise.
using PlanFunction = bool(const nacre_entry &entry, const Share *shares, const Layout &layout, bool unified,
                          MemoryPool &pool, Schedule &schedule);
PlanFunction plan_phases;           // For models without variables.
PlanFunction plan_phases_and_state; // For all models. Defined in state_plan.cpp.

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
