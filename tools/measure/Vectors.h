// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a core's clock, and its arithmetic in its widest vectors.

#ifndef NACRE_TOOLS_MEASURE_VECTORS_H
#define NACRE_TOOLS_MEASURE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

namespace nacre::measure {

/// The measurements of a core; each is shorter than a time slice, so that some are not interrupted.
constexpr int kTries = 60;

/// The widest vectors of this machine, and code that multiplies and reads in them.
struct WidestVectors {
  float (*run)();
  uint64_t (*read)(const uint64_t *words, size_t count);
  int lanes;

  WidestVectors();
};

/// Measures the clock of the core that the calling thread is on.
double measureGigahertz();

/// Measures its fp32 multiply-adds, each as two operations.
double measureGigaflops(int tries = kTries);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_VECTORS_H
