// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the runtime asks of a GPU engine.
// Why:   a model without GPU kernels links no engine: its table has no pointer to one, and nothing else names one.
// How:   a struct of functions over a state of their own; the CPU's half of the work is theirs to start, because a cut
//        runs on both at once.

#ifndef NACRE_RUNTIME_SRC_GPU_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_ENGINE_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime {
struct Session;
} // namespace nacre::runtime

struct nacre_gpu_engine {
  /// Makes ready what a run needs, for a session that is complete but for this. nullptr, with the reason: there is no
  /// GPU, or it cannot be used. An engine with a reason: the CPU has to compute a part of what the GPU should.
  /// It may be called by a thread beside the session's own, until whose end the session runs on the CPU.
  void *(*create)(const nacre::runtime::Session &session, const nacre_session_options &options, uint64_t cpu_features,
                  nacre::runtime::Reason &reason);
  /// One run. False, with the reason: inputs and state are untouched, outputs undefined, and the engine is done for.
  bool (*run)(void *engine, nacre::runtime::Reason &reason);
  void (*destroy)(void *engine);
  void (*describe)(const void *engine, nacre_session_info &info);
  /// As nacre_device_describe.
  nacre_status (*describe_device)(uint32_t index, nacre_device_info &info);
};

#endif // NACRE_RUNTIME_SRC_GPU_ENGINE_H
