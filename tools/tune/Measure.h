// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the cores of this machine reach: arithmetic, memory, cache.
// Why:   published figures of phones are peaks and guesses; predictions are worth what their figures are.
// How:   a thread pinned to each core; the best of several tries, since others only ever take time away.

#ifndef NACRE_TOOLS_TUNE_MEASURE_H
#define NACRE_TOOLS_TUNE_MEASURE_H

#include <cstddef>
#include <vector>

namespace nacre::tune {

struct CoreSpeed {
  unsigned cpu = 0; ///< The system's number of it.
  double gigahertz = 0;
  double gigaflops = 0; ///< fp32 multiply-adds from registers, each as two.
};

/// The cores that this process may use.
std::vector<unsigned> allowedCores();

CoreSpeed measureCore(unsigned cpu);

/// GB/s of threads that read buffers of their own, `bytes` each, one pinned to each of `cpus`, all together.
double measureReading(const std::vector<unsigned> &cpus, size_t bytes);

/// Bytes of the last cache as the system says; 0 where it does not.
size_t lastCacheBytes();

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_MEASURE_H
