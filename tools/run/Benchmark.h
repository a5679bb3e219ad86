// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  times whole runs, and prints one line of JSON.
// Why:   one way to measure, for people, test/bench and instruction counters.
// How:   see Benchmark.cpp.

#ifndef NACRE_TOOLS_RUN_BENCHMARK_H
#define NACRE_TOOLS_RUN_BENCHMARK_H

#include "tools/run/session/ModelSession.h"

#include <functional>
#include <vector>

namespace nacre::run {

/// Nanoseconds of runs, of which it keeps a bounded number, evenly spread.
class Samples {
public:
  void add(uint64_t nanoseconds);
  uint64_t count() const { return seen; }
  uint64_t smallest() const { return least; }
  /// The sample that `share` of all are not above. Sorts what is kept.
  uint64_t quantile(double share);

private:
  static constexpr size_t kCapacity = 8192; // even
  std::vector<uint64_t> kept;
  uint64_t seen = 0, stride = 1, least = UINT64_MAX;
};

/// Reads a buffer: if it is larger than the caches, they hold nothing of the model afterwards.
class Eviction {
public:
  explicit Eviction(uint64_t mebibytes) : buffer(mebibytes << 20, 1) {}
  void operator()();

private:
  std::vector<char> buffer; // not of zeros, which would all be one page
};

/// Runs the model until both are satisfied, each time after an eviction, and calls `each` with the time of each run.
Outcome repeatRuns(ModelSession &session, uint64_t runs, double minSeconds, Eviction &evict,
                   const std::function<Outcome(uint64_t nanoseconds)> &each);

Outcome benchmark(ModelSession &session, const Options &options, size_t codeBytes);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_BENCHMARK_H
