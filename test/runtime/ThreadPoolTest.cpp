// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the pool by itself: every unit once, nothing lost between sleeping and waking, and how little a section costs.
// Why:   a lost wake-up is a hang in an app; a slow section is every model slower.
// How:   many sections of every awkward size, after pauses short and long.

#include "runtime/src/thread_pool.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace nacre::runtime {
namespace {

struct Pool {
  explicit Pool(uint32_t threads) { started = pool->start(threads); }
  ~Pool() { pool->stop(); }
  void run(nacre_task task, void *context, int64_t units, int64_t grain) {
    pool->executor.run(&pool->executor, task, context, units, grain);
  }
  std::unique_ptr<ThreadPool> pool = std::make_unique<ThreadPool>();
  bool started;
};

struct Tally {
  explicit Tally(int64_t units, uint32_t threads) : units(units), inside(threads) {}
  std::vector<std::atomic<int>> units;
  std::vector<std::atomic<int>> inside; // callers under each thread number: never two
  std::atomic<bool> overlapped = false;

  static void task(void *context, uint32_t thread, int64_t begin, int64_t end) {
    auto &tally = *static_cast<Tally *>(context);
    if (tally.inside[thread].fetch_add(1) != 0)
      tally.overlapped = true;
    for (int64_t i = begin; i < end; ++i)
      ++tally.units[i];
    tally.inside[thread].fetch_sub(1);
  }
};

TEST(ThreadPool, DoesEveryUnitOnce) {
  for (uint32_t threads : {1, 2, 3, 8}) {
    Pool pool(threads);
    ASSERT_TRUE(pool.started);
    for (int64_t units : {1, 2, 3, 7, 64, 1000})
      for (int64_t grain : {1, 2, 3, 100, 1000, 5000})
        for (int repeat = 0; repeat < 20; ++repeat) {
          Tally tally(units, threads);
          pool.run(Tally::task, &tally, units, grain);
          for (auto &count : tally.units)
            ASSERT_EQ(count, 1) << units << " units, grain " << grain << ", " << threads << " threads";
          ASSERT_FALSE(tally.overlapped);
        }
  }
}

// A worker sleeps after about 50 microseconds: sections come before, at and long after that.
TEST(ThreadPool, WakesSleepers) {
  Pool pool(3);
  for (int pause : {0, 20, 50, 60, 100, 500, 3000})
    for (int repeat = 0; repeat < 30; ++repeat) {
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
      Tally tally(12, 3);
      pool.run(Tally::task, &tally, 12, 1);
      for (auto &count : tally.units)
        ASSERT_EQ(count, 1);
    }
}

TEST(ThreadPool, StopsWhileWorkersSleepOrSpin) {
  for (int pause : {0, 1, 10, 100, 1000})
    for (int repeat = 0; repeat < 20; ++repeat) {
      Pool pool(4);
      ASSERT_TRUE(pool.started);
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
    }
}

// The caller must sleep too when a worker's last part takes long, and be woken by its end.
TEST(ThreadPool, WaitsForALongPart) {
  Pool pool(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<int> done = 0;
    const auto slow = [](void *context, uint32_t, int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++*static_cast<std::atomic<int> *>(context);
    };
    pool.run(slow, &done, 2, 1);
    ASSERT_EQ(done, 2);
  }
}

TEST(ThreadPool, RunsANestedSectionOnItsOwnThread) {
  Pool pool(2);
  struct Outer {
    Pool &pool;
    std::atomic<int> units = 0;
  } outer{pool};
  const auto task = [](void *context, uint32_t, int64_t, int64_t) {
    auto &self = *static_cast<Outer *>(context);
    self.pool.run([](void *inner, uint32_t, int64_t begin,
                     int64_t end) { static_cast<Outer *>(inner)->units += static_cast<int>(end - begin); },
                  context, 10, 1);
  };
  pool.run(task, &outer, 4, 1);
  EXPECT_EQ(outer.units, 40);
}

// What a launch costs beyond its work. Generous, because machines that test are busy; the figure itself is printed.
TEST(ThreadPool, CostsMicrosecondsAtMost) {
  Pool pool(2);
  const auto nothing = [](void *, uint32_t, int64_t, int64_t) {};
  std::vector<double> micros;
  for (int i = 0; i < 2000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    pool.run(nothing, nullptr, 2, 1);
    micros.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(micros.begin(), micros.end());
  RecordProperty("empty_section_median_us", std::to_string(micros[1000]));
  std::printf("empty section on two threads: median %.2f us, least %.2f us\n", micros[1000], micros[0]);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(micros[1000], 50);
#endif
}

struct Masks {
  sigset_t ofWorker;
  std::atomic<bool> known{false};

  static void task(void *context, uint32_t thread, int64_t, int64_t) {
    auto &masks = *static_cast<Masks *>(context);
    if (thread == 1) {
      pthread_sigmask(SIG_SETMASK, nullptr, &masks.ofWorker);
      masks.known = true;
    }
    while (!masks.known) // the other part is the worker's
      std::this_thread::yield();
  }
};

TEST(ThreadPool, LeavesSignalsToTheApp) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Pool pool(2);
  ASSERT_TRUE(pool.started);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  Masks masks;
  pool.run(Masks::task, &masks, 2, 1);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP || (signal > 31 && signal < SIGRTMIN))
      continue; // nobody blocks these
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
    const bool isFault = signal == SIGILL || signal == SIGTRAP || signal == SIGABRT || signal == SIGBUS ||
                         signal == SIGFPE || signal == SIGSEGV || signal == SIGSYS;
    EXPECT_EQ(sigismember(&masks.ofWorker, signal), isFault ? 0 : 1) << signal;
  }
}

} // namespace
} // namespace nacre::runtime
