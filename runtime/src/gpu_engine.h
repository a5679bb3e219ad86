// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a session asks of a GPU engine.
// Why:   a model without GPU kernels links no engine, nor the code that sessions use with one: its table has no pointer to
//        one, and no other code names one.
// How:   slots over the session, in which the engine keeps its state. The engine starts the CPU's half of the work, too,
//        because a cut runs on both at once. runtime/features.def says which functions fill the slots.

#ifndef NACRE_RUNTIME_SRC_GPU_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_ENGINE_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/text.h"

namespace nacre::runtime {
struct RunLimits;
struct Session;
struct SessionPlan;
struct State;
namespace gpu {
struct Layout;
struct Schedule;
struct Share;
struct StateParts;
class MemoryPool;
} // namespace gpu
} // namespace nacre::runtime

struct nacre_gpu_engine {
  /// Makes the GPU ready, or starts to, for a session that is complete but for this. False, with the reason, where one is
  /// required and there is none.
  bool (*start)(nacre::runtime::Session &session, const nacre::runtime::SessionPlan &plan,
                nacre::runtime::Reason &reason);
  /// One run. NACRE_FAILED where no GPU takes part, or none any more: then the CPU has everything to do, now and later.
  /// The limits' status: they have ended the run. In both cases inputs and state are untouched, and outputs undefined. But where a
  /// GPU was lost with a state in its own memory, the state is the latest that the CPU has seen, and the reason says so.
  nacre_status (*run)(nacre::runtime::Session &session, nacre::runtime::RunLimits &limits);
  /// Of models with variables. Copies the state's data from the GPU that has it to where the CPU sees it; the caller has the state. False, with the reason,
  /// where it was lost: the state is then the latest that the CPU has seen.
  bool (*bring_state)(nacre::runtime::State &state, nacre::runtime::Reason &reason);
  /// Adds the GPU's part.
  void (*describe)(nacre::runtime::Session &session, nacre_session_info &info);
  /// Gives the GPU back, whatever state it is in; a state that sessions share is brought home before.
  void (*stop)(nacre::runtime::Session &session);
  /// As nacre_device_describe.
  nacre_status (*describe_device)(uint32_t index, nacre_device_info &info);
  /// Divides a run (gpu_vulkan/plan/phases.h). `shares` are those of the entry's steps. The memories are two unless `unified`; then
  /// inputs are with the CPU when a run begins, and outputs when it ends. The state is where the run before has left it, or, if
  /// somebody else has written it, with both. False if the pool failed or there are too many executions.
  bool (*plan)(const nacre_entry &entry, const nacre::runtime::gpu::Share *shares,
               const nacre::runtime::gpu::Layout &layout, bool unified, nacre::runtime::gpu::MemoryPool &pool,
               nacre::runtime::gpu::Schedule &schedule);
  const nacre::runtime::gpu::StateParts *states; ///< Of models with variables, else nullptr.
};

#endif // NACRE_RUNTIME_SRC_GPU_ENGINE_H
