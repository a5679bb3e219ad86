// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the largest tiles by which a convolution of bytes may be computed by Winograd and stay exact.
// Why:   sums in 32 bits wrap, which does no harm on the way: only what comes out, the sum times the square of
//        winograd::scaleOf, must be one number. Weights are known when a model is compiled, so this is proven for each.
// How:   a sum lies between those of the least and of the largest input for each weight, by its sign. Odd factors of the scale
//        have an inverse modulo 2^32, so that of 576, for tiles of four, 64 is left, and 4 of 4, for tiles of two.

#ifndef NACRE_COMPILER_ENCODE_EXACTTILES_H
#define NACRE_COMPILER_ENCODE_EXACTTILES_H

#include "dialects/nn/ConstantData.h"

namespace nacre::encode {

/// Of `weight`, whose last axis are the output channels: 4, 2, or 0 where no tile is exact. `isUnsignedLeft`: inputs are 0 to 255, else
/// -128 to 127.
int64_t largestExactTile(const nn::ConstantView &weight, bool isUnsignedLeft);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_EXACTTILES_H
