// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a GPU engine that sessions call.
// Why: a model without GPU kernels must link no engine and no code that uses an engine. Only the model's table points
//      to an engine, and no other code names one.
// How: a table of functions over the session, which stores the engine's data. runtime/features.def lists the functions.
//      The engine also starts the CPU's part of the work, because both compute a cut launch at the same time.

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
  /// Prepares the GPU for a session that is otherwise complete, or starts a thread that does so. Returns false and sets
  /// `reason` if the session requires a GPU and none is usable.
  bool (*start)(nacre::runtime::Session &session, const nacre::runtime::SessionPlan &plan,
                nacre::runtime::Reason &reason);
  /// Computes one run. Returns NACRE_FAILED if no GPU takes part, or if the GPU failed. The CPU then computes this run
  /// and all later ones. Returns `limits.status` if the limits ended the run. In both cases, inputs and state are
  /// unchanged and outputs are undefined. The exception is a GPU that is lost while it has the state in its memory.
  /// Then the state is the latest copy that the CPU has, and the session's reason says so.
  nacre_status (*run)(nacre::runtime::Session &session, nacre::runtime::RunLimits &limits);
  /// Copies the state's data from the GPU to the CPU's memory, for models with variables. The caller must have taken
  /// the state. Returns false and sets `reason` if the data was lost. The state is then the latest copy that the CPU
  /// has.
  bool (*bring_state)(nacre::runtime::State &state, nacre::runtime::Reason &reason);
  /// Fills the fields of `info` that describe the GPU.
  void (*describe)(nacre::runtime::Session &session, nacre_session_info &info);
  /// Releases the GPU, also after an error or an incomplete start. First copies a shared state back to the CPU.
  void (*stop)(nacre::runtime::Session &session);
  /// Implements nacre_device_describe.
  nacre_status (*describe_device)(uint32_t index, nacre_device_info &info);
  /// Divides a run into phases (gpu_vulkan/plan/phases.h). `shares` has one element for each step of the entry. Returns
  /// false if the pool failed or if there are too many executions. Unless `unified`, there are two memories. Inputs are
  /// in the CPU's memory when a run begins, and outputs are there when it ends. The state is where the previous run
  /// left it, or in both memories if the app wrote it.
  bool (*plan)(const nacre_entry &entry, const nacre::runtime::gpu::Share *shares,
               const nacre::runtime::gpu::Layout &layout, bool unified, nacre::runtime::gpu::MemoryPool &pool,
               nacre::runtime::gpu::Schedule &schedule);
  const nacre::runtime::gpu::StateParts *states; ///< Null for models without variables.
};

#endif // NACRE_RUNTIME_SRC_GPU_ENGINE_H
