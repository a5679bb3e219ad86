// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the largest Winograd tiles with which a convolution of bytes stays exact.
// Why: intermediate sums in 32 bits may wrap without harm. Only the final value, the sum times the square of
//      winograd::scaleOf, must fit in 32 bits. Weights are constant, so this is proven for each of them at compile
//      time.
// How: the sign of each weight tells whether the smallest or the largest input gives the extreme sum. Odd factors of
//      the scale have an inverse modulo 2^32, so only powers of two count. Tiles of four scale by 576 = 64 * 9, so the
//      factor is 64. Tiles of two scale by 4.

#ifndef NACRE_COMPILER_ENCODE_EXACTTILES_H
#define NACRE_COMPILER_ENCODE_EXACTTILES_H

#include "dialects/nn/ConstantData.h"

namespace nacre::encode {

/// Returns the largest exact tile for a weight whose last axis is the output channels: 4, 2, or 0 if no tile is exact.
/// Inputs are 0 to 255 if `isUnsignedLeft`, otherwise -128 to 127.
int64_t largestExactTile(const nn::ConstantView &weight, bool isUnsignedLeft);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_EXACTTILES_H
