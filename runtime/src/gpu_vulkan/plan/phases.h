// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  who computes what when: the executions of a run, divided into phases.
// Why:   CPU and GPU should meet as rarely as their data allows, and the GPU should wait for itself only where it must.
// How:   in a phase one batch of dispatches and a list of CPU parts run at the same time. A part joins the current
//        phase unless it touches bytes that a part of the other engine in it writes, or writes bytes that one touches:
//        that begins a new phase. The two parts of one execution never stand in each other's way. No Vulkan here.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H

#include "runtime/src/gpu_vulkan/plan/layout.h"
#include "runtime/src/gpu_vulkan/plan/memory_pool.h"
#include "runtime/src/gpu_vulkan/plan/shares.h"
#include "runtime/src/gpu_vulkan/plan/state_copies.h"

namespace nacre::runtime::gpu {

/// The step of a part that is none: bytes of the state are copied from the copy that the run reads to the one that it writes.
constexpr uint32_t kMove = UINT32_MAX;

/// One engine's part of one execution of a launch; or a stretch of steps that a run decides about, which the CPU has as
/// a whole, in the copy of the state that the run writes: its first step, which is no launch; or a move.
struct Part {
  uint32_t step;
  bool barrier;      // of the GPU: it must wait for what the batch has dispatched so far
  int64_t iteration; // of a move: its index
  /// Whether each operand is in the copy of the state that the run writes; nullptr: those that are written.
  const bool *is_next;
};

/// Whether operand number `i` of a launch is in the copy of the state that the run writes.
inline bool is_next(const Part &part, uint32_t i, const nacre_operand &operand) {
  return operand.space == NACRE_SPACE_STATE && (part.is_next ? part.is_next[i] : operand.access != NACRE_READ);
}

/// Bytes that one engine has written and the other reads, where their memories are two.
struct Copy {
  uint32_t phase; // whose batch copies: to the GPU before its dispatches, to the CPU after them
  uint64_t begin; // in the layout
  uint64_t end;
};

struct Phase {
  uint32_t gpu_end; // its parts are those from where the phase before it ends
  uint32_t cpu_end;
};

/// Bytes of the state that a run writes.
struct Written {
  uint64_t begin; // in the state
  uint64_t end;
  bool on_cpu; // the CPU sees them when the run is over
};

struct Schedule {
  List<Part> gpu;
  List<Part> cpu;
  List<ByteRange> moves;
  List<Phase> phases;
  List<Copy> uploads;
  List<Copy> downloads;
  List<Written> written;
  uint64_t cpu_bytes; // of the buffer: the CPU touches none from there on, nor do copies
  uint32_t barriers;
  uint32_t gpu_moves; // parts of the GPU that are none

  uint64_t reach(uint64_t end) {
    cpu_bytes = end > cpu_bytes ? end : cpu_bytes;
    return end;
  }
};

/// Executions of launches in a run beyond which a GPU's command buffers would be unreasonable.
constexpr uint32_t kMaxExecutions = 1 << 17;

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_PHASES_H
