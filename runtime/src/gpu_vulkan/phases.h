// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  who computes what when: the executions of a run, divided into phases.
// Why:   CPU and GPU should meet as rarely as their data allows, and the GPU should wait for itself only where it must.
// How:   in a phase one batch of dispatches and a list of CPU parts run at the same time. A part joins the current
//        phase unless it touches bytes that a part of the other engine in it writes, or writes bytes that one touches:
//        that begins a new phase. The two parts of one execution never stand in each other's way. No Vulkan here.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PHASES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PHASES_H

#include "runtime/src/gpu_vulkan/layout.h"
#include "runtime/src/gpu_vulkan/memory_pool.h"
#include "runtime/src/gpu_vulkan/shares.h"

namespace nacre::runtime::gpu {

/// One engine's part of one execution of a launch; or a stretch of steps that a run decides about, which the CPU has as
/// a whole: its first step, which is no launch.
struct Part {
  uint32_t step;
  bool barrier; // of the GPU: it must wait for what the batch has dispatched so far
  int64_t iteration;
};

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

struct Schedule {
  List<Part> gpu;
  List<Part> cpu;
  List<Phase> phases;
  List<Copy> uploads;
  List<Copy> downloads;
  uint32_t barriers;
};

/// Executions of launches in a run beyond which a GPU's command buffers would be unreasonable.
constexpr uint32_t kMaxExecutions = 1 << 17;

/// Divides a run. `shares` are those of the entry's steps. The memories are two unless `unified`; then inputs and a
/// state that the run writes are with the CPU when it begins, a state that it only reads is with both, and outputs and state
/// must be with the CPU when it ends. False if the pool failed or
/// there are too many executions.
bool plan_phases(const nacre_entry &entry, const Share *shares, const Layout &layout, bool unified, MemoryPool &pool,
                 Schedule &schedule);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PHASES_H
