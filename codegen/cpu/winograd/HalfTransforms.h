// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transforms of filters and products of F(2, 3) whose transformed values are f16.
// Why:   f16 has room for sums up to 65504. codegen/form/Winograd.h divides the outputs, which costs least, but then
//        products are up to four times as large as those of a direct convolution.
// How:   the filter is divided instead. The transform of the input is the same.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H

#include "codegen/form/Winograd.h"

namespace nacre::codegen::winograd {

/// Returns G g.
template <typename T> llvm::SmallVector<T, 8> transformDividedFilter(llvm::ArrayRef<T> g) {
  const T even = (g[0] + g[2]) * 0.5;
  return {g[0], addMultiple(even, 0.5, g[1]), addMultiple(even, -0.5, g[1]), g[2]};
}

/// Returns A^T m, the outputs.
template <typename T> llvm::SmallVector<T, 6> transformDividedProducts(llvm::ArrayRef<T> m) {
  return {m[0] + (m[1] + m[2]), m[3] + (m[1] - m[2])};
}

} // namespace nacre::codegen::winograd

#endif // NACRE_CODEGEN_CPU_WINOGRAD_HALFTRANSFORMS_H
