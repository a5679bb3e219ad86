// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the cores of this machine reach: arithmetic, memory, cache.
// Why:   published figures of phones are peaks and guesses; predictions are worth what their figures are. nacre-run --profile measures
//        the same, so that a report can compare times with the peaks of the machine on which they were measured.
// How:   a thread pinned to each core; the best of several tries, since others only ever take time away.

#ifndef NACRE_TOOLS_TUNE_MEASURE_H
#define NACRE_TOOLS_TUNE_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

namespace nacre::tune {

struct CoreSpeed {
  unsigned cpu = 0; ///< The system's number of it.
  double gigahertz = 0;
  double gigaflops = 0; ///< fp32 multiply-adds from registers, each as two.
};

/// Returns the seconds since some fixed point.
double now();

/// The cores that this process may use.
std::vector<unsigned> allowedCores();

CoreSpeed measureCore(unsigned cpu);

/// Where data come from: a memory, or caches, of which each core's is as fast whatever others do.
enum class Source { Memory, Cache };

/// GB/s of threads that read buffers of their own, `bytes` each, one pinned to each of `cpus`, all together: the most of several rounds
/// of so many seconds.
double measureReading(const std::vector<unsigned> &cpus, size_t bytes, double seconds = 0.2, int rounds = 1,
                      Source source = Source::Memory);

/// Bytes of the last cache as the system says; 0 where it does not.
size_t lastCacheBytes();

/// Bytes of a core's cache of that level as the system says; 0 where it does not.
size_t cacheBytesOfLevel(int level);

/// What a number of threads of this machine reach together.
struct MachinePeak {
  std::string cpu;         ///< Its name; empty if the system does not say it.
  unsigned cores = 0;      ///< That this process may use.
  unsigned threads = 0;    ///< That were measured, one on each of the fastest cores.
  unsigned vectorBits = 0; ///< Of its widest vectors.
  double flopsPerSecond = 0, bytesPerSecond = 0;
  size_t cacheBytes = 0; ///< Of the last cache,
  double cacheBytesPerSecond = 0;
  size_t nearCacheBytes = 0; ///< and of the second-level caches of all threads.
  double nearCacheBytesPerSecond = 0;
};

/// Measures for about half a second: the peaks that the report compares a run with.
MachinePeak measurePeak(unsigned threads);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_MEASURE_H
