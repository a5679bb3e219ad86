// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations over the last axes and their statistics, for the handlers of every format.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Result and statistics of a normalization; unused statistics cost nothing. They keep the reduced axes as ones, and
/// have at least 32 bits.
struct Normalized {
  mlir::Value result;  ///< result in the operand's type
  mlir::Value mean;    ///< mean; null if the normalization does not subtract it
  mlir::Value inverse; ///< factor that the operand is multiplied by
};

/// Returns (x - mean) / sqrt(variance + epsilon).
Normalized normalizeLayer(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

/// Normalizes each of `groups` groups of channels of x [N, channels, ...]. The result is [N, groups, channels / groups,
/// ...].
mlir::Value normalizeGroups(NnBuilder &nn, mlir::Value x, int64_t groups, double epsilon);

/// Returns x / sqrt(mean of x * x + epsilon).
Normalized normalizeByRms(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
