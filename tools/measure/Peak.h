// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the peak rates of this machine: arithmetic, memory, cache. Published figures of phones are peaks and
// guesses, and predictions are only as good as their figures. A profile has these figures, too, so a report can compare
// times with the peaks of the machine that measured them. One thread is pinned to each core. The best of several tries
// counts, because other processes only ever take time away.

#ifndef NACRE_TOOLS_MEASURE_PEAK_H
#define NACRE_TOOLS_MEASURE_PEAK_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

/// System's numbers of cores.
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
  unsigned cpu = 0; ///< System's number of the core.
  double gigahertz = 0;
  double gigaflops = 0;   ///< Multiply-adds of f32 in registers, each counted as two operations.
  double byteGigaops = 0; ///< Multiply-adds of bytes, each counted as two operations.
};

/// Returns the seconds since a fixed point.
double now();

/// Returns the cores that this process may use.
CpuList allowedCores();

CoreSpeed measureCore(unsigned cpu);

/// Source of data: the shared memory, or a cache that each core reads at full speed whatever other cores do.
enum class Source { Memory, Cache };

/// Returns the GB/s of threads that read their own buffers of `bytes` each, all at once, one pinned to each of `cpus`.
/// Returns the maximum of `rounds` rounds of `seconds` seconds.
double measureReading(const CpuList &cpus, size_t bytes, double seconds = 0.2, int rounds = 1,
                      Source source = Source::Memory);

/// Returns the bytes of the last cache, or 0 if the system does not provide them.
size_t lastCacheBytes();

/// Returns the bytes of a core's cache of that level, or 0 if the system does not provide them.
size_t cacheBytesOfLevel(int level);

/// Rates that several threads of this machine reach together.
struct MachinePeak {
  char cpu[128] = "";      ///< Name of the CPU; empty if the system does not provide it.
  unsigned cores = 0;      ///< Cores that this process may use.
  unsigned threads = 0;    ///< Measured threads, one on each of the fastest cores.
  unsigned vectorBits = 0; ///< Bits of its widest vectors.
  double flopsPerSecond = 0, bytesPerSecond = 0;
  size_t cacheBytes = 0; ///< Bytes of the last cache.
  double cacheBytesPerSecond = 0;
  size_t nearCacheBytes = 0; ///< Bytes of the second-level caches of all threads.
  double nearCacheBytesPerSecond = 0;
};

/// Measures for about half a second the peaks that a report compares a run with.
MachinePeak measurePeak(unsigned threads);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_PEAK_H
