// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a core's clock, and its arithmetic in its widest vectors.

#ifndef NACRE_TOOLS_MEASURE_VECTORS_H
#define NACRE_TOOLS_MEASURE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

/// Number of measurements of a core. Each is shorter than a time slice of the scheduler, so that some are not
/// interrupted.
constexpr int kTries = 60;

/// The widest vectors of this machine, and code that multiplies and reads with them.
struct WidestVectors {
  float (*run)();
  uint64_t (*read)(const uint64_t *words, size_t count);
  int lanes;

  WidestVectors();
};

/// Measures the clock of the core of the calling thread, in GHz.
double measureGigahertz();

/// Measures the core's f32 multiply-adds, each counted as two operations, in GFLOP/s.
double measureGigaflops(int tries = kTries);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_VECTORS_H
