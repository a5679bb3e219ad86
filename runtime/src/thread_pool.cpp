// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements thread_pool.h.
// Why: see thread_pool.h.
// How: `unclaimed` publishes a section (release) and hands out its parts (compare and swap). After a successful claim
//      the section cannot change, because the caller ends it only when `unfinished` is 0. So a thread reads the
//      section's fields only after its claim, and they need no version number.

#include "runtime/src/thread_pool.h"

namespace nacre::runtime {
namespace {

constexpr uint32_t kStop = UINT32_MAX; // Value of `unclaimed` that ends the workers.
constexpr unsigned kSpins = 2000;      // Iterations of spinning: about 50 microseconds.

void spin(unsigned iteration) {
  if (iteration % 64 == 63)
    yield_core();
  else
    pause_core();
}

uint32_t load(uint32_t &word) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }
void store(uint32_t &word, uint32_t value) { __atomic_store_n(&word, value, __ATOMIC_SEQ_CST); }

} // namespace

bool ThreadPool::start(uint32_t threads) {
  executor = {sizeof(nacre_executor), 1, &ThreadPool::run};
  taken = unclaimed = unfinished = sleepers = caller_sleeps = 0;
  process = process_number();
  for (; executor.threads < threads; ++executor.threads) {
    Worker &worker = workers[executor.threads - 1];
    worker.pool = this;
    worker.number = executor.threads;
    if (!start_thread(worker.handle, worker_main, &worker)) {
      stop();
      return false;
    }
  }
  return true;
}

void ThreadPool::stop() {
  if (process != process_number())
    return;
  store(unclaimed, kStop);
  wake(&unclaimed, kMaxThreads);
  while (--executor.threads)
    join_thread(workers[executor.threads - 1].handle);
}

void ThreadPool::run(nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t grain) {
  auto *pool = reinterpret_cast<ThreadPool *>(executor);
  // The caller computes everything if the task is too small to share, there are no workers, or another session uses
  // them. Waiting for the workers would be slower.
  if (units <= grain || executor->threads == 1 || __atomic_exchange_n(&pool->taken, 1, __ATOMIC_ACQUIRE)) {
    task(context, 0, 0, units);
    return;
  }
  const int64_t limit = INT32_MAX; // Largest number of parts, which is smaller than kStop.
  pool->grain = units / limit < grain ? grain : units / limit + 1;
  pool->task = task;
  pool->context = context;
  pool->units = units;
  pool->parts = uint32_t((units + pool->grain - 1) / pool->grain);
  __atomic_store_n(&pool->unfinished, pool->parts, __ATOMIC_RELAXED);
  store(pool->unclaimed, pool->parts);
  // A worker increments `sleepers` before the system compares `unclaimed` with 0. So either this thread sees the
  // sleeper, or the system sees the new parts and does not let the worker sleep.
  if (uint32_t sleeping = load(pool->sleepers))
    wake(&pool->unclaimed, sleeping < pool->parts ? sleeping : pool->parts - 1);
  pool->work(0);
  pool->wait_for_others();
  __atomic_store_n(&pool->taken, 0, __ATOMIC_RELEASE);
}

void *ThreadPool::worker_main(void *argument) {
  auto *worker = static_cast<Worker *>(argument);
  ThreadPool *pool = worker->pool;
  for (unsigned iteration = 0;; ++iteration) {
    uint32_t left = __atomic_load_n(&pool->unclaimed, __ATOMIC_ACQUIRE);
    if (left == kStop)
      return nullptr;
    if (left != 0) {
      pool->work(worker->number);
      iteration = 0;
    } else if (iteration < kSpins) {
      spin(iteration);
    } else {
      __atomic_add_fetch(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
      wait_on(&pool->unclaimed, 0);
      __atomic_sub_fetch(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
      iteration = 0;
    }
  }
}

void ThreadPool::work(uint32_t thread) {
  uint32_t left = __atomic_load_n(&unclaimed, __ATOMIC_RELAXED);
  while (left != 0 && left != kStop) {
    // A failed exchange loads the new value of `unclaimed` into `left`.
    if (!__atomic_compare_exchange_n(&unclaimed, &left, left - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    const int64_t begin = int64_t(parts - left) * grain;
    const int64_t end = begin + grain;
    task(context, thread, begin, end < units ? end : units);
    if (__atomic_sub_fetch(&unfinished, 1, __ATOMIC_SEQ_CST) == 0 && thread != 0 && load(caller_sleeps))
      wake(&unfinished, 1);
    left = __atomic_load_n(&unclaimed, __ATOMIC_RELAXED);
  }
}

void ThreadPool::wait_for_others() {
  for (unsigned iteration = 0; iteration < kSpins; ++iteration) {
    if (__atomic_load_n(&unfinished, __ATOMIC_ACQUIRE) == 0)
      return;
    spin(iteration);
  }
  store(caller_sleeps, 1);
  while (uint32_t left = load(unfinished))
    wait_on(&unfinished, left);
  store(caller_sleeps, 0);
}

} // namespace nacre::runtime
