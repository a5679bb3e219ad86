// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. time and pinning; 2. the clock, by additions of which each waits for the one before; 3. multiply-adds, in
//          the widest vectors that the core has; 4. reading; 5. what threads reach together.

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

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nacre::tune {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

//===----------------------------------------------------------------------===//
// 1. Time
//===----------------------------------------------------------------------===//

/// Each shorter than a time slice, so that some are not interrupted.
constexpr int kTries = 60;

void pinTo(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // A core that went offline in between is measured wherever the thread runs.
  (void)sched_setaffinity(0, sizeof(set), &set);
}

template <typename Work> double bestSeconds(Work work, int tries = kTries) {
  double best = 1e9;
  for (int iteration = 0; iteration < tries; ++iteration) {
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
    for (long iteration = 0; iteration < kAdditions / 8; ++iteration) {
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
constexpr long kIterations = 100'000;

/// Defines NAME(): kIterations * kChains multiply-adds of BYTES each, in code for TARGET. MULTIPLY_ADD(a, b, c) is a * b + c, in one
/// instruction if the target has one, whatever the options of the build are.
#define DEFINE_MULTIPLY_ADDS(NAME, BYTES, TARGET, MULTIPLY_ADD)                                                        \
  TARGET float NAME() {                                                                                                \
    typedef float Vector __attribute__((vector_size(BYTES)));                                                          \
    Vector sums[kChains], factor = Vector{} + 0.999f, addend = Vector{} + 1e-3f;                                       \
    for (int chain = 0; chain < kChains; ++chain) /* equal or known ones would not be computed */                      \
      sums[chain] = Vector{} + (float(chain) + 2.5f);                                                                  \
    for (long iteration = 0; iteration < kIterations; ++iteration)                                                     \
      _Pragma("GCC unroll 12") for (int chain = 0; chain < kChains; ++chain) sums[chain] =                             \
          MULTIPLY_ADD(sums[chain], factor, addend);                                                                   \
    Vector sum{};                                                                                                      \
    for (const Vector &one : sums)                                                                                     \
      sum += one;                                                                                                      \
    return sum[0];                                                                                                     \
  }

#define NO_TARGET
#ifdef __aarch64__
#define MULTIPLY_ADD_128(a, b, c) vfmaq_f32(c, a, b)
#else
#define MULTIPLY_ADD_128(a, b, c) ((a) * (b) + (c))
#endif
DEFINE_MULTIPLY_ADDS(multiplyAdds128, 16, NO_TARGET, MULTIPLY_ADD_128)
#ifdef __x86_64__
DEFINE_MULTIPLY_ADDS(multiplyAdds256, 32, __attribute__((target("avx2,fma"))), _mm256_fmadd_ps)
DEFINE_MULTIPLY_ADDS(multiplyAdds512, 64, __attribute__((target("avx512f"))), _mm512_fmadd_ps)
#endif

/// Defines NAME(): the sum of words, read in vectors of BYTES. Four sums hide the latency of additions, which caches outrun.
#define DEFINE_READING(NAME, BYTES, TARGET)                                                                            \
  TARGET uint64_t NAME(const uint64_t *words, size_t count) {                                                          \
    typedef uint64_t Vector __attribute__((vector_size(BYTES), aligned(8), may_alias));                                \
    constexpr size_t kWords = BYTES / sizeof(uint64_t), kSums = 4;                                                     \
    Vector sums[kSums] = {};                                                                                           \
    for (size_t at = 0; at + kSums * kWords <= count; at += kSums * kWords)                                            \
      _Pragma("GCC unroll 4") for (size_t chain = 0; chain < kSums; ++chain) sums[chain] +=                            \
          *reinterpret_cast<const Vector *>(words + at + chain * kWords);                                              \
    const Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                      \
    return sum[0];                                                                                                     \
  }

DEFINE_READING(read128, 16, NO_TARGET)
#ifdef __x86_64__
DEFINE_READING(read256, 32, __attribute__((target("avx2"))))
DEFINE_READING(read512, 64, __attribute__((target("avx512f"))))
#endif

/// The widest vectors of this machine, and code that multiplies and reads in them.
struct WidestVectors {
  float (*run)() = multiplyAdds128;
  uint64_t (*read)(const uint64_t *, size_t) = read128;
  int lanes = 4;

  WidestVectors() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
      run = multiplyAdds512, read = read512, lanes = 16;
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      run = multiplyAdds256, read = read256, lanes = 8;
#endif
  }
};

double measureGigaflops(int tries = kTries) {
  const WidestVectors vectors;
  volatile float sink = 0;
  const double seconds = bestSeconds([&] { sink = vectors.run(); }, tries);
  return 2.0 * vectors.lanes * kChains * kIterations / seconds * 1e-9;
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

double measureReading(const std::vector<unsigned> &cpus, size_t bytes, double seconds, int rounds, Source source) {
  std::atomic<unsigned> ready{0};
  std::vector<std::vector<double>> rates(cpus.size(), std::vector<double>(rounds));
  std::vector<std::thread> threads;
  for (size_t index = 0; index < cpus.size(); ++index)
    threads.emplace_back([&, index] {
      pinTo(cpus[index]);
      const size_t count = bytes / sizeof(uint64_t);
      uint64_t (*const read)(const uint64_t *, size_t) = source == Source::Cache ? WidestVectors().read : readAll;
      std::unique_ptr<uint64_t[]> words(new uint64_t[count]);
      std::fill_n(words.get(), count, index); // its pages, near this core
      volatile uint64_t sink = read(words.get(), count);
      for (int round = 0; round < rounds; ++round) {
        ++ready;
        while (ready < (round + 1) * cpus.size())
          std::this_thread::yield();
        double sum = 0, best = 0;
        const double begin = now();
        while (now() - begin < seconds) {
          const double before = now(), size = double(count * sizeof(uint64_t));
          sink = read(words.get(), count);
          sum += size;
          best = std::max(best, size / (now() - before));
        }
        // Several share the memory, so only their average adds up.
        rates[index][round] = (cpus.size() == 1 || source == Source::Cache ? best : sum / (now() - begin)) * 1e-9;
      }
      (void)sink;
    });
  for (std::thread &thread : threads)
    thread.join();
  double most = 0;
  for (int round = 0; round < rounds; ++round) {
    double sum = 0;
    for (const std::vector<double> &rate : rates)
      sum += rate[round];
    most = std::max(most, sum);
  }
  return most;
}

size_t cacheBytesOfLevel(int level) {
  size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::ifstream file(folder + "/size"), levelFile(folder + "/level");
    size_t size = 0;
    char unit = 0;
    int ofLevel = 0;
    if (file >> size >> unit && levelFile >> ofLevel && ofLevel == level)
      largest = std::max(largest, size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
  return largest;
}

size_t lastCacheBytes() {
  size_t largest = 0;
  for (int level = 1; level <= 4; ++level)
    largest = std::max(largest, cacheBytesOfLevel(level));
  return largest;
}

//===----------------------------------------------------------------------===//
// 5. Threads together
//===----------------------------------------------------------------------===//

/// Returns the multiply-adds of threads on all of `cpus` at once, in GFLOP/s: cores may share units and power.
static double measureTogether(const std::vector<unsigned> &cpus, int tries) {
  std::atomic<unsigned> ready{0};
  std::vector<double> rates(cpus.size());
  std::vector<std::thread> threads;
  for (size_t index = 0; index < cpus.size(); ++index)
    threads.emplace_back([&, index] {
      pinTo(cpus[index]);
      ++ready;
      while (ready < cpus.size())
        std::this_thread::yield();
      rates[index] = measureGigaflops(tries);
    });
  double sum = 0;
  for (size_t index = 0; index < threads.size(); ++index) {
    threads[index].join();
    sum += rates[index];
  }
  return sum;
}

static std::string readCpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 || line.rfind("Hardware", 0) == 0)
      if (const size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "";
}

MachinePeak measurePeak(unsigned threadCount) {
  constexpr int kFewTries = 8;      // each lasts some tenths of a millisecond
  constexpr double kSeconds = 0.01; // short, so that some rounds are not interrupted
  constexpr int kRounds = 12;
  constexpr size_t kLeastMemory = size_t(128) << 20, kMostMemory = size_t(512) << 20, kUnknownCache = size_t(1) << 20,
                   kUnknownNear = size_t(128) << 10;
  struct Core {
    unsigned cpu;
    double rate;
  };
  std::vector<Core> cores;
  for (unsigned cpu : allowedCores())
    cores.push_back({cpu, measureTogether({cpu}, kFewTries)});
  std::stable_sort(cores.begin(), cores.end(), [](const Core &a, const Core &b) { return a.rate > b.rate; });
  MachinePeak peak;
  peak.cpu = readCpuName();
  peak.cores = cores.size();
  peak.vectorBits = 32 * WidestVectors().lanes;
  cores.resize(std::min<size_t>(cores.size(), std::max(threadCount, 1u)));
  std::vector<unsigned> cpus;
  for (const Core &core : cores)
    cpus.push_back(core.cpu);
  peak.threads = cpus.size();
  if (cpus.empty())
    return peak;
  peak.flopsPerSecond = 1e9 * measureTogether(cpus, 2 * kFewTries);
  peak.cacheBytes = lastCacheBytes() ? lastCacheBytes() : kUnknownCache;
  const size_t memory = std::min(std::max(kLeastMemory, 4 * peak.cacheBytes), kMostMemory);
  peak.bytesPerSecond = 1e9 * measureReading(cpus, memory / cpus.size(), kSeconds, kRounds);
  // A quarter of the cache of all, as one program may expect.
  peak.cacheBytesPerSecond =
      1e9 * measureReading(cpus, peak.cacheBytes / 4 / cpus.size(), kSeconds, kRounds, Source::Cache);
  const size_t nearBytes = cacheBytesOfLevel(2) ? cacheBytesOfLevel(2) : kUnknownNear;
  peak.nearCacheBytes = nearBytes * cpus.size();
  peak.nearCacheBytesPerSecond = 1e9 * measureReading(cpus, nearBytes / 4, kSeconds, kRounds, Source::Cache);
  return peak;
}

} // namespace nacre::tune
