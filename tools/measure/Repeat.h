// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model until enough times are measured, in the same way for nacre-run and nacre-try. After a warm-up of clocks,
// caches and sleeping threads, each run is timed. Two no-op hint instructions around each run mark it for an
// instruction counter in qemu. The failure of a run is any value that converts to true, so that each program can use
// its own type.

#ifndef NACRE_TOOLS_MEASURE_REPEAT_H
#define NACRE_TOOLS_MEASURE_REPEAT_H

#include "tools/measure/Samples.h"

#include <stddef.h>

namespace nacre::measure {

/// Length of a measurement, which lasts until both limits are reached.
struct Effort {
  uint64_t runs = 1;
  double seconds = 1;
};

/// Returns the nanoseconds since a fixed but arbitrary moment.
uint64_t readClock();

/// Reads a buffer before a run, so that smaller caches contain no data of the model.
class Eviction {
public:
  explicit Eviction(uint64_t mebibytes);
  Eviction(const Eviction &) = delete;
  Eviction &operator=(const Eviction &) = delete;
  ~Eviction();

  /// True if the buffer could be allocated, or has no bytes.
  bool isReady() const { return bytes == 0 || buffer; }
  void operator()() const;

private:
  char *buffer = nullptr; // filled with values other than 0, because the system maps pages of zeros to one page
  size_t bytes;
};

inline void markBegin() {
#if defined(__aarch64__)
  __asm__ volatile("hint #0x60" ::: "memory");
#endif
}

inline void markEnd() {
#if defined(__aarch64__)
  __asm__ volatile("hint #0x61" ::: "memory");
#endif
}

/// Repeats `run`, each time after an eviction, and calls `each` with the time of each run. Returns the first failure.
template <typename Run, typename Each>
auto repeatRuns(Run run, const Effort &effort, const Eviction &evict, Each each) -> decltype(run()) {
  const uint64_t begin = readClock();
  const uint64_t least = static_cast<uint64_t>(effort.seconds * 1e9);
  for (uint64_t done = 0; done < effort.runs || readClock() - begin < least; ++done) {
    evict();
    const uint64_t start = readClock();
    markBegin();
    auto failure = run();
    markEnd();
    const uint64_t end = readClock();
    if (!failure)
      failure = each(end - start);
    if (failure)
      return failure;
  }
  return decltype(run())();
}

/// Collects the times of runs, after a warm-up.
template <typename Run>
auto sampleRuns(Run run, const Effort &effort, const Eviction &evict, Samples &samples) -> decltype(run()) {
  const double most = 0.2;
  const Effort warmUp = {1, effort.seconds / 5 < most ? effort.seconds / 5 : most};
  if (auto failure = repeatRuns(run, warmUp, evict, [](uint64_t) { return decltype(run())(); }))
    return failure;
  return repeatRuns(run, effort, evict, [&samples](uint64_t nanoseconds) {
    samples.add(nanoseconds);
    return decltype(run())();
  });
}

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_REPEAT_H
