// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the threads that work on a launch, as a nacre_executor.
// Why:   a launch is some 10 to 1000 microseconds; handing it out must cost well under one.
// How:   a section is a number of equal parts. Threads claim parts by counting one word down, so fast cores take more
//        of them. Waiting spins for a bounded time, yielding now and then (a waker and a wakee that share a core would
//        otherwise wait out the whole spin), then sleeps on a futex. The caller works too, and waits only for parts
//        that others have claimed: a worker that wakes late holds nobody up.

#ifndef NACRE_RUNTIME_SRC_THREAD_POOL_H
#define NACRE_RUNTIME_SRC_THREAD_POOL_H

#include "runtime/include/nacre/runtime.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {

constexpr uint32_t kMaxThreads = 128;

struct alignas(64) ThreadPool {
  nacre_executor executor; // first: the executor's address is the pool's

  /// False if the system refuses a thread; then none is left. `threads` counts the caller.
  bool start(uint32_t threads);
  /// In a child of the process that started them, by fork(), there are no threads to end.
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

  // The section. Written while `unclaimed` and `unfinished` are 0, read by those who have claimed a part.
  nacre_task task;
  void *context;
  int64_t units;
  int64_t grain;
  uint32_t parts;
  uint32_t taken; // whether a caller has the workers

  // Each on a cache line of its own: all threads write the first two.
  alignas(64) uint32_t unclaimed;  // parts; workers sleep on it while it is 0
  alignas(64) uint32_t unfinished; // parts; the caller sleeps on it
  alignas(64) uint32_t sleepers;   // workers
  uint32_t caller_sleeps;

  uint64_t process; // that has the threads
  Worker workers[kMaxThreads - 1];
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_THREAD_POOL_H
