// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that compute a launch, as a nacre_executor.
// Why: a launch takes some 10 to 1000 microseconds; distributing it must cost much less than one.
// How: a section consists of equal parts. Threads claim parts by decrementing one word, so faster cores take more of
//      them. A waiting thread spins for a bounded time and yields at intervals. Without that, two threads that share a
//      core would spin to the end. Then it sleeps on a futex. The caller also works, and waits only for parts that
//      others have claimed, so a worker that wakes late delays nothing.

#ifndef NACRE_RUNTIME_SRC_THREAD_POOL_H
#define NACRE_RUNTIME_SRC_THREAD_POOL_H

#include "runtime/include/nacre/runtime.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {

constexpr uint32_t kMaxThreads = 128;

struct alignas(64) ThreadPool {
  nacre_executor executor; // First: the executor's address is the pool's.

  /// Starts the threads; `threads` includes the caller. Returns false if the system refuses one, and ends the others.
  bool start(uint32_t threads);
  /// Ends the threads. A child by fork() has no threads, so nothing happens there.
  void stop();

private:
  struct Worker {
    ThreadPool *pool;
    ThreadHandle handle;
    uint32_t number;
  };

  static void run(nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t grain);
  static void *worker_main(void *worker);
  void work(uint32_t thread);
  void wait_for_others();

  // The section. It is written while `unclaimed` and `unfinished` are 0, and read by threads that have claimed a part.
  nacre_task task;
  void *context;
  int64_t units;
  int64_t grain;
  uint32_t parts;
  uint32_t taken; // True while a caller has the workers.

  // Each has a cache line of its own, because all threads write the first two.
  alignas(64) uint32_t unclaimed;  // Parts; workers sleep on it while it is 0.
  alignas(64) uint32_t unfinished; // Parts; the caller sleeps on it.
  alignas(64) uint32_t sleepers;   // Workers.
  uint32_t caller_sleeps;

  uint64_t process; // Process that has the threads.
  Worker workers[kMaxThreads - 1];
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_THREAD_POOL_H
