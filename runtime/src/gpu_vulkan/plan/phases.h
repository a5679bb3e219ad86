// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plan of a run: its executions, divided into phases and engines.
// Why: each meeting of CPU and GPU costs time, and so does each barrier between dispatches of the GPU. The plan has
//      only those that the data requires.
// How: in a phase, a batch of dispatches and a list of CPU parts run at the same time. Two parts conflict if both
//      access the same bytes and one writes them. A part begins a new phase if it conflicts with a part of the other
//      engine in the current phase. Otherwise it joins the current phase. The two parts of one execution never
//      conflict. This code does not call Vulkan.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H

#include "runtime/src/gpu_vulkan/plan/layout.h"
#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"
#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

/// Value of Part::step for a move. A move copies bytes of the state from the copy that the run reads to the copy that
/// it writes.
constexpr uint32_t kMove = UINT32_MAX;

/// Work of one engine: its share of one execution of a launch, a move, or a stretch that depends on data of the run.
/// The CPU computes such a stretch, in the copy of the state that the run writes. `step` is the first step of the
/// stretch, which is not a launch.
struct Part {
  uint32_t step;
  bool barrier;      // For the GPU: true if it must wait for the earlier dispatches of its batch.
  int64_t iteration; // Iteration of the launch, or index of the move.
  /// Array with one element for each operand: true if it is in the copy of the state that the run writes. nullptr if
  /// exactly the written operands are in that copy.
  const bool *is_next;
};

/// True if the operand `i` of a launch is in the copy of the state that the run writes.
inline bool is_next(const Part &part, uint32_t i, const nacre_operand &operand) {
  return operand.space == NACRE_SPACE_STATE && (part.is_next ? part.is_next[i] : operand.access != NACRE_READ);
}

/// Range of bytes that is copied between separate memories, because one engine wrote it and the other reads it.
struct Copy {
  uint32_t phase; // Phase whose batch contains the copy. Copies to the GPU come before its dispatches, copies to the
                  // CPU after them.
  uint64_t begin; // Offset in the layout.
  uint64_t end;
};

struct Phase {
  uint32_t gpu_end; // End of the phase's parts, which begin at the end of the previous phase.
  uint32_t cpu_end;
};

/// Range of bytes of the state that a run writes.
struct Written {
  uint64_t begin; // Offset in the state.
  uint64_t end;
  bool on_cpu; // True if the CPU's memory has these bytes at the end of the run.
};

struct Schedule {
  List<Part> gpu;
  List<Part> cpu;
  List<ByteRange> moves;
  List<Phase> phases;
  List<Copy> uploads;
  List<Copy> downloads;
  List<Written> written;
  uint64_t cpu_bytes; // End of the bytes that the CPU or a copy between the memories accesses.
  uint32_t barriers;
  uint32_t gpu_moves; // Number of GPU parts that are moves.

  uint64_t reach(uint64_t end) {
    cpu_bytes = end > cpu_bytes ? end : cpu_bytes;
    return end;
  }
};

/// Largest number of executions in a run. More would make command buffers too large.
constexpr uint32_t kMaxExecutions = 1 << 17;

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
