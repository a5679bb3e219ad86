// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures how fast a core multiplies halves (f16). Some cores multiply twice as many halves as floats in a vector.
// Others have to convert halves to floats first.

#ifndef NACRE_TOOLS_MEASURE_HALFPRODUCTS_H
#define NACRE_TOOLS_MEASURE_HALFPRODUCTS_H

namespace nacre::measure {

/// Measures multiply-adds of f16 with f16 sums on the core of the calling thread. Each counts as two operations.
/// Returns the rate in GFLOP/s. If kernels widen halves on this core, returns `gigaflops`, its rate of f32.
double measureHalfGigaflops(double gigaflops);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_HALFPRODUCTS_H
