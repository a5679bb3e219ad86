// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pool of threads that compute launches. It implements nacre_executor.
// Why: a launch takes about 10 to 1000 microseconds. Distributing it to threads must take much less than one
//      microsecond.
// How: a section consists of equal parts. Threads claim parts by decrementing one word, so faster cores take more of
//      them. A waiting thread first spins for a bounded time, then sleeps on a futex. While it spins, it yields its
//      core at intervals, because two waiting threads may share a core. The caller also computes parts, and waits only
//      for parts that other threads have claimed. So a worker that wakes late delays nothing.

#ifndef NACRE_RUNTIME_SRC_THREAD_POOL_H
#define NACRE_RUNTIME_SRC_THREAD_POOL_H

#include "runtime/include/nacre/runtime.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {

constexpr uint32_t kMaxThreads = 128;

struct alignas(64) ThreadPool {
  nacre_executor executor; // Must be first, because the executor's address is also the address of the pool.

  /// Starts `threads` - 1 threads; the caller is the last one. If the system refuses a thread, ends all others and
  /// returns false.
  bool start(uint32_t threads);
  /// Ends the threads. A child process after fork() has no threads, so the call then has no effect.
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

  // The section: the task that the threads now compute. These fields are written only while `unclaimed` and
  // `unfinished` are 0, and read only by threads that have claimed a part.
  nacre_task task;
  void *context;
  int64_t units;
  int64_t grain;
  uint32_t parts;
  uint32_t taken; // 1 while a caller uses the workers.

  // Each word has its own cache line, because all threads write the first two.
  alignas(64) uint32_t unclaimed;  // Number of unclaimed parts. Workers sleep on it while it is 0.
  alignas(64) uint32_t unfinished; // Number of unfinished parts. The caller sleeps on it.
  alignas(64) uint32_t sleepers;   // Number of workers that sleep.
  uint32_t caller_sleeps;

  uint64_t process; // Process in which the threads were started.
  Worker workers[kMaxThreads - 1];
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_THREAD_POOL_H
