// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean and variance along axes of a tensor, and normalization with them.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_MOMENTS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_MOMENTS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Mean and population variance (the mean of the squared differences from the mean).
struct Moments {
  mlir::Value mean, variance;
};

Moments computeMoments(NnBuilder &nn, mlir::Value x, Ints axes, bool keepDims);

/// Returns scale * (x - mean) / sqrt(variance + epsilon) + shift, as one multiplication and one addition per element.
/// All operands broadcast to the last axes of `x`.
mlir::Value normalizeBy(NnBuilder &nn, mlir::Value x, const Moments &moments, mlir::Value scale, mlir::Value shift,
                        double epsilon);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_MOMENTS_H
