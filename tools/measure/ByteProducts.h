// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how fast a core multiplies bytes.
// Why:   quantized networks multiply bytes, at a rate that depends on the dot products of a core, not on its rate of
//        floats.

#ifndef NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H
#define NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H

namespace nacre::measure {

/// Measures the multiply-adds of bytes into sums of 32 bits on the core that the calling thread is on, each as two
/// operations, by the fastest instructions that kernels use. Returns 1e9 operations per second.
double measureByteGigaops();

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_BYTEPRODUCTS_H
