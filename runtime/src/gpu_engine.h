// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a GPU engine that sessions call.
// Why: a model without GPU kernels links no engine and no code that uses one. Its table has no pointer to one, and no
//      other code names one.
// How: a table of functions over the session, which stores the engine's data. The engine also starts the CPU's part of
//      the work, because both compute a cut launch at the same time.

#ifndef NACRE_RUNTIME_SRC_GPU_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_ENGINE_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime {
struct RunLimits;
struct Session;
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
  /// Makes the GPU ready, or begins to, for a session that is complete otherwise. Returns false, with the reason, if a
  /// GPU is required and none is usable.
  bool (*start)(nacre::runtime::Session &session, const nacre::runtime::SessionPlan &plan,
                nacre::runtime::Reason &reason);
  /// Computes one run. Returns NACRE_FAILED if no GPU takes part, or not any more. Then the CPU computes this run and
  /// all later ones. Returns the limits' status if they ended the run.
  /// In both cases inputs and state are untouched, and outputs are undefined. There is one exception: a GPU was lost
  /// with the state in its own memory. Then the state is the latest one that the CPU has seen, and the reason says so.
  nacre_status (*run)(nacre::runtime::Session &session, nacre::runtime::RunLimits &limits);
  /// Copies the state's data from the GPU to the CPU's memory, for models with variables. The caller must have taken
  /// the state. Returns false, with the reason, if the data was lost. The state is then the latest one that the CPU has
  /// seen.
  bool (*bring_state)(nacre::runtime::State &state, nacre::runtime::Reason &reason);
  /// Adds the GPU's fields to `info`.
  void (*describe)(nacre::runtime::Session &session, nacre_session_info &info);
  /// Releases the GPU in whatever state it is. Copies a state that sessions share back to the CPU first.
  void (*stop)(nacre::runtime::Session &session);
  /// Implements nacre_device_describe.
  nacre_status (*describe_device)(uint32_t index, nacre_device_info &info);
  /// Plans a run (gpu_vulkan/plan/phases.h).
  bool (*plan)(const nacre_entry &entry, const nacre::runtime::gpu::Share *shares,
               const nacre::runtime::gpu::Layout &layout, bool unified, nacre::runtime::gpu::MemoryPool &pool,
               nacre::runtime::gpu::Schedule &schedule);
  const nacre::runtime::gpu::StateParts *states; ///< Null for models without variables.
};

#endif // NACRE_RUNTIME_SRC_GPU_ENGINE_H
