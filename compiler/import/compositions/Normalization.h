// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations over the last axes, and what they are by, for the handlers of every format.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Those that nobody reads cost nothing. Statistics keep the axes as ones, and have 32 bits at least.
struct Normalized {
  mlir::Value result;  ///< of the operand's type
  mlir::Value mean;    ///< null where it is not taken off
  mlir::Value inverse; ///< what the operand is multiplied by
};

/// (x - mean) / sqrt(variance + epsilon)
Normalized normalizeLayer(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

/// The same of each of `groups` groups of channels of x [N, channels, ...], as [N, groups, channels / groups, ...].
mlir::Value normalizeGroups(NnBuilder &nn, mlir::Value x, int64_t groups, double epsilon);

/// x / sqrt(mean of x * x + epsilon)
Normalized normalizeByRms(NnBuilder &nn, mlir::Value x, Ints axes, double epsilon);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_NORMALIZATION_H
