// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  when a session's GPU is made ready: by create, or by a thread while the CPU already serves runs.
// Why:   a driver may take seconds to compile what an app wants to use now.
// How:   the thread fills in what it found and says so in one word; a run that sees the word takes the engine over
//        (gpu_vulkan/in_session.cpp).

#ifndef NACRE_RUNTIME_SRC_GPU_START_H
#define NACRE_RUNTIME_SRC_GPU_START_H

#include "runtime/src/session_plan.h"
#include "runtime/src/thread_pool.h"

namespace nacre::runtime {

/// A thread that makes the GPU ready, and what it came to.
struct GpuStart {
  enum State : uint32_t { None, UnderWay, Over };
  uint32_t state;     // written by the thread last
  uint32_t cancelled; // read by the engine: what it makes is not wanted any more
  ThreadHandle thread;
  nacre_session_options options;
  uint64_t cpu_features;
  void *engine;
  Reason reason;
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_GPU_START_H
