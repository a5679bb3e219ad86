// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations over the last axes, with their statistics, for the handlers of every format.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Result and statistics of a normalization. Statistics that are not used cost nothing. In their shapes, the reduced
/// axes are 1. Their type has at least 32 bits.
struct Normalized {
  mlir::Value result;  ///< result in the type of `x`
  mlir::Value mean;    ///< mean of `x`; null if the normalization does not subtract it
  mlir::Value inverse; ///< factor of each element: the inverse of the deviation
};

/// Returns (x - mean) / sqrt(variance + epsilon).
Normalized normalizeLayer(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

/// Normalizes groups of channels of x [N, channels, ...]. The result is [N, groups, channels / groups, ...].
mlir::Value normalizeGroups(NnBuilder &nn, mlir::Value x, int64_t groups, double epsilon);

/// Returns x / sqrt(mean(x * x) + epsilon).
Normalized normalizeByRms(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
