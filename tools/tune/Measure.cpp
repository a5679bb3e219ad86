// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. time and pinning; 2. the clock, by additions of which each waits for the one before; 3. multiply-adds, in
//          the widest vectors that the core has; 4. reading.

#include "tools/tune/Measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>

namespace nacre::tune {

namespace {

//===----------------------------------------------------------------------===//
// 1. Time
//===----------------------------------------------------------------------===//

/// Each shorter than a time slice, so that some are not interrupted.
constexpr int kTries = 60;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void pinTo(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // A core that went offline in between is measured wherever the thread runs.
  (void)sched_setaffinity(0, sizeof(set), &set);
}

template <typename Work> double bestSeconds(Work work) {
  double best = 1e9;
  for (int turn = 0; turn < kTries; ++turn) {
    const double begin = now();
    work();
    best = std::min(best, now() - begin);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// 2. The clock
//===----------------------------------------------------------------------===//

double measureGigahertz() {
  constexpr long kAdditions = 2'000'000;
  uint64_t sum = 1, addend = 3;
  asm volatile("" : "+r"(addend));
  const double seconds = bestSeconds([&] {
    for (long turn = 0; turn < kAdditions / 8; ++turn) {
      // The barriers keep the compiler from adding all eight at once.
#define ADD                                                                                                            \
  sum += addend;                                                                                                       \
  asm volatile("" : "+r"(sum));
      ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
    }
  });
  return kAdditions / seconds * 1e-9;
}

//===----------------------------------------------------------------------===//
// 3. Multiply-adds
//===----------------------------------------------------------------------===//

constexpr int kChains = 12; // hide the latency of any core's pipes, and fit into its registers
constexpr long kTurns = 100'000;

/// Defines NAME(): kTurns * kChains multiply-adds of BYTES each, in code for TARGET.
#define DEFINE_MULTIPLY_ADDS(NAME, BYTES, TARGET)                                                                      \
  TARGET float NAME() {                                                                                                \
    typedef float Vector __attribute__((vector_size(BYTES)));                                                          \
    Vector sums[kChains], factor = Vector{} + 0.999f, addend = Vector{} + 1e-3f;                                       \
    for (int chain = 0; chain < kChains; ++chain) /* equal or known ones would not be computed */                      \
      sums[chain] = Vector{} + (float(chain) + 2.5f);                                                                  \
    for (long turn = 0; turn < kTurns; ++turn)                                                                         \
      _Pragma("GCC unroll 12") for (int chain = 0; chain < kChains; ++chain) sums[chain] =                             \
          sums[chain] * factor + addend;                                                                               \
    Vector sum{};                                                                                                      \
    for (const Vector &one : sums)                                                                                     \
      sum += one;                                                                                                      \
    return sum[0];                                                                                                     \
  }

#define NO_TARGET
DEFINE_MULTIPLY_ADDS(multiplyAdds128, 16, NO_TARGET)
#ifdef __x86_64__
DEFINE_MULTIPLY_ADDS(multiplyAdds256, 32, __attribute__((target("avx2,fma"))))
DEFINE_MULTIPLY_ADDS(multiplyAdds512, 64, __attribute__((target("avx512f"))))
#endif

double measureGigaflops() {
  float (*run)() = multiplyAdds128;
  int lanes = 4;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    run = multiplyAdds512, lanes = 16;
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    run = multiplyAdds256, lanes = 8;
#endif
  volatile float sink = 0;
  const double seconds = bestSeconds([&] { sink = run(); });
  return 2.0 * lanes * kChains * kTurns / seconds * 1e-9;
}

//===----------------------------------------------------------------------===//
// 4. Reading
//===----------------------------------------------------------------------===//

uint64_t readAll(const uint64_t *words, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += words[i];
  return sum;
}

} // namespace

std::vector<unsigned> allowedCores() {
  cpu_set_t set;
  std::vector<unsigned> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cores.push_back(cpu);
  return cores;
}

CoreSpeed measureCore(unsigned cpu) {
  CoreSpeed speed;
  speed.cpu = cpu;
  std::thread([&] {
    pinTo(cpu);
    measureGigahertz(); // wakes the clock
    speed.gigahertz = measureGigahertz();
    speed.gigaflops = measureGigaflops();
  }).join();
  return speed;
}

double measureReading(const std::vector<unsigned> &cpus, size_t bytes) {
  constexpr double kSeconds = 0.2;
  std::atomic<unsigned> ready{0};
  std::vector<double> rates(cpus.size());
  std::vector<std::thread> threads;
  for (size_t index = 0; index < cpus.size(); ++index)
    threads.emplace_back([&, index] {
      pinTo(cpus[index]);
      const size_t count = bytes / sizeof(uint64_t);
      std::unique_ptr<uint64_t[]> words(new uint64_t[count]);
      std::fill_n(words.get(), count, index); // its pages, near this core
      volatile uint64_t sink = readAll(words.get(), count);
      ++ready;
      while (ready < cpus.size())
        std::this_thread::yield();
      double read = 0, best = 0;
      const double begin = now();
      while (now() - begin < kSeconds) {
        const double before = now(), size = double(count * sizeof(uint64_t));
        sink = readAll(words.get(), count);
        read += size;
        best = std::max(best, size / (now() - before));
      }
      // Several share what there is, so only their average adds up.
      rates[index] = (cpus.size() == 1 ? best : read / (now() - begin)) * 1e-9;
      (void)sink;
    });
  double sum = 0;
  for (size_t index = 0; index < threads.size(); ++index) {
    threads[index].join();
    sum += rates[index];
  }
  return sum;
}

size_t lastCacheBytes() {
  size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    size_t size = 0;
    char unit = 0;
    if (file >> size >> unit)
      largest = std::max(largest, size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
  return largest;
}

} // namespace nacre::tune
