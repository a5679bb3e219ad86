// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transforms of F(2, 3) and F(4, 3) whose transformed values are f16.
// Why:   f16 has room for sums up to 65504. codegen/form/Winograd.h divides the outputs, which costs least, but then
//        products are many times as large as those of a direct convolution.
// How:   rows of the input's transform have no factor above 1, and the filter is divided instead of the outputs.
//        Transformed inputs are at most 4 and 6.6 times as large as inputs. The points are those of Winograd.h. Rows
//        may have the opposite sign, if that saves an operation: the transforms of filters and of outputs know it.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H

#include "codegen/form/Winograd.h"

namespace nacre::codegen::winograd {

/// The smaller of the two points of F(4, 3); the larger one is twice as large.
inline constexpr double kHalfPoint = 0.70710678118654752;

/// Returns B^T d, the transformed inputs.
template <typename T> llvm::SmallVector<T, 8> transformHalfInput(llvm::ArrayRef<T> d) {
  if (d.size() == 4)
    return transformInput(d);
  const T evenOfSmall = addMultiple(d[2], -0.5, d[4]), oddOfSmall = addMultiple(d[1], -0.5, d[3]);
  const T evenOfLarge = addMultiple(d[4], -0.5, d[2]), oddOfLarge = addMultiple(d[3], -0.5, d[1]);
  return {addMultiple(d[2], -0.4, d[0] + d[4]),
          addMultiple(evenOfSmall, kHalfPoint, oddOfSmall),
          addMultiple(evenOfSmall, -kHalfPoint, oddOfSmall),
          addMultiple(oddOfLarge, kHalfPoint, evenOfLarge),
          addMultiple(oddOfLarge, -kHalfPoint, evenOfLarge),
          addMultiple(d[3], -0.4, d[1] + d[5])};
}

/// Returns G g for `inputs` transformed values.
template <typename T> llvm::SmallVector<T, 8> transformHalfFilter(int64_t inputs, llvm::ArrayRef<T> g) {
  if (inputs == 4) {
    const T even = (g[0] + g[2]) * 0.5;
    return {g[0], addMultiple(even, 0.5, g[1]), addMultiple(even, -0.5, g[1]), g[2]};
  }
  const T ofSmall = addMultiple(g[0] * (4.0 / 3), 2.0 / 3, g[2]);
  const T ofLarge = addMultiple(g[0] * (kHalfPoint / 3), 2 * kHalfPoint / 3, g[2]);
  return {g[0] * -2.5,
          addMultiple(ofSmall, 4 * kHalfPoint / 3, g[1]),
          addMultiple(ofSmall, -4 * kHalfPoint / 3, g[1]),
          addMultiple(ofLarge, 1.0 / 3, g[1]),
          addMultiple(ofLarge, -1.0 / 3, g[1]),
          g[2] * -2.5};
}

/// Returns A^T m, the outputs.
template <typename T> llvm::SmallVector<T, 6> transformHalfProducts(llvm::ArrayRef<T> m) {
  if (m.size() == 4)
    return {m[0] + (m[1] + m[2]), m[3] + (m[1] - m[2])};
  // The value at the larger negative point has the opposite sign.
  const T sumOfSmall = m[1] + m[2], differenceOfSmall = m[1] - m[2];
  const T sumOfLarge = m[3] - m[4], differenceOfLarge = m[3] + m[4];
  return {m[0] + sumOfSmall + sumOfLarge, addMultiple(differenceOfSmall, 2, differenceOfLarge) * kHalfPoint,
          addMultiple(sumOfSmall * 0.5, 2, sumOfLarge),
          addMultiple(addMultiple(m[5], kHalfPoint / 2, differenceOfSmall), 4 * kHalfPoint, differenceOfLarge)};
}

} // namespace nacre::codegen::winograd

#endif // NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H
