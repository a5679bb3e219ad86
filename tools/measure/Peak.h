// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the peak rates of this machine: arithmetic, memory, cache. Published figures of phones are peaks or guesses,
// and predictions are only as good as their figures. A profile also contains the peaks, so a report can compare times
// with the peaks of the same machine. One thread is pinned to each core. The best of several tries counts, because
// other processes can only slow a try down.

#ifndef NACRE_TOOLS_MEASURE_PEAK_H
#define NACRE_TOOLS_MEASURE_PEAK_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

/// Indices of cores, as the system numbers them.
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
  unsigned cpu = 0; ///< Index of the core, as the system numbers cores.
  double gigahertz = 0;
  double gigaflops = 0;     ///< Multiply-adds of f32 in registers, each counted as two operations.
  double halfGigaflops = 0; ///< Multiply-adds of f16; those of f32 if kernels widen f16 on this core.
  double byteGigaops = 0;   ///< Multiply-adds of bytes, each counted as two operations.
};

/// Returns the seconds since a fixed but arbitrary moment.
double now();

/// Returns the cores that this process may use.
CpuList allowedCores();

CoreSpeed measureCore(unsigned cpu);

/// Source of data: the memory, which all cores share, or a cache that each core reads at full speed regardless of other
/// cores.
enum class Source { Memory, Cache };

/// Returns the total rate, in GB/s, at which the cores `cpus` simultaneously read data. Each core has a thread with its
/// own buffer of `bytes` bytes. Returns the maximum of `rounds` rounds of `seconds` seconds each.
double measureReading(const CpuList &cpus, size_t bytes, double seconds = 0.2, int rounds = 1,
                      Source source = Source::Memory);

/// Returns the size of the last-level cache in bytes, or 0 if the system does not provide it.
size_t lastCacheBytes();

/// Returns the size of a core's cache of the level `level` in bytes, or 0 if the system does not provide it.
size_t cacheBytesOfLevel(int level);

/// Rates that several threads of this machine reach together.
struct MachinePeak {
  char cpu[128] = "";      ///< Name of the CPU; empty if the system does not provide it.
  unsigned cores = 0;      ///< Number of cores that this process may use.
  unsigned threads = 0;    ///< Number of measured threads, one on each of the fastest cores.
  unsigned vectorBits = 0; ///< Width of the widest vectors in bits.
  double flopsPerSecond = 0, bytesPerSecond = 0;
  size_t cacheBytes = 0; ///< Size of the last-level cache in bytes.
  double cacheBytesPerSecond = 0;
  size_t nearCacheBytes = 0; ///< Total size of the second-level caches of all threads in bytes.
  double nearCacheBytesPerSecond = 0;
};

/// Measures the peaks with which a report compares a run. It takes about half a second.
MachinePeak measurePeak(unsigned threads);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_PEAK_H
