// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a session's GPU. It happens within create, or on a thread while the CPU already computes runs.
// Why: a driver may take seconds to compile the shaders, but the app wants to run now.
// How: the thread stores its result, then sets one word to publish it. The next run that reads the new word takes over
//      the engine (gpu_vulkan/in_session.cpp).

#ifndef NACRE_RUNTIME_SRC_GPU_START_H
#define NACRE_RUNTIME_SRC_GPU_START_H

#include "runtime/src/session_plan.h"
#include "runtime/src/thread_pool.h"

namespace nacre::runtime {

/// Thread that makes the GPU ready, and its result.
struct GpuStart {
  enum State : uint32_t { None, UnderWay, Over };
  uint32_t state;     // A value of State. The thread writes it last.
  uint32_t cancelled; // 1 if the session no longer wants the result. The engine polls it.
  ThreadHandle thread;
  nacre_session_options options;
  uint64_t cpu_features;
  void *engine;
  Reason reason;
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_GPU_START_H
