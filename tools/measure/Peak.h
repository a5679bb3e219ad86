// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the cores of this machine reach: arithmetic, memory, cache.
// Why:   published figures of phones are peaks and guesses; predictions are worth what their figures are. A profile
//        has the same figures, so that a report can compare times with the peaks of the machine on which they were
//        measured.
// How:   a thread pinned to each core; the best of several tries, since others only ever take time away.

#ifndef NACRE_TOOLS_MEASURE_PEAK_H
#define NACRE_TOOLS_MEASURE_PEAK_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

/// Numbers of cores, as the system has them.
struct CpuList {
  static constexpr unsigned kMost = 1024;
  unsigned count = 0;
  uint16_t cpus[kMost] = {};

  void add(unsigned cpu) {
    if (count < kMost)
      cpus[count++] = static_cast<uint16_t>(cpu);
  }
};

struct CoreSpeed {
  unsigned cpu = 0; ///< The system's number of it.
  double gigahertz = 0;
  double gigaflops = 0;   ///< fp32 multiply-adds from registers, each as two.
  double byteGigaops = 0; ///< The same of bytes.
};

/// Returns the seconds since some fixed point.
double now();

/// Returns the cores that this process may use.
CpuList allowedCores();

CoreSpeed measureCore(unsigned cpu);

/// Where data come from: a memory, or caches, of which each core's is as fast whatever others do.
enum class Source { Memory, Cache };

/// Returns the GB/s of threads that read buffers of their own, `bytes` each, one pinned to each of `cpus`, all
/// together: the most of several rounds of so many seconds.
double measureReading(const CpuList &cpus, size_t bytes, double seconds = 0.2, int rounds = 1,
                      Source source = Source::Memory);

/// Returns the bytes of the last cache as the system says; 0 where it does not.
size_t lastCacheBytes();

/// Returns the bytes of a core's cache of that level as the system says; 0 where it does not.
size_t cacheBytesOfLevel(int level);

/// What a number of threads of this machine reach together.
struct MachinePeak {
  char cpu[128] = "";      ///< Its name; empty if the system does not say it.
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

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_PEAK_H
