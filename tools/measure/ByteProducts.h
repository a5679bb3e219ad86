// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures how fast a core multiplies bytes. Quantized networks depend on this rate, which the core's dot-product
// instructions determine, not its float arithmetic.

#ifndef NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H
#define NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H

namespace nacre::measure {

/// Measures multiply-adds of bytes into 32-bit sums on the core of the calling thread, with the fastest instructions
/// that kernels use. Each multiply-add counts as two operations. Returns the rate in 1e9 operations per second.
double measureByteGigaops();

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H
