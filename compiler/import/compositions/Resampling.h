// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resamples images by the tables of ResampleTables.h, for the handlers of every format.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/compositions/ResampleTables.h"

namespace nacre::importer {

struct ResampledAxis {
  int64_t axis;
  AxisTable table;
};

/// True if a table of `positions * taps` entries is allowed, and then counts it as a constant. Otherwise, reports an
/// error.
bool allowsTable(NnBuilder &nn, int64_t positions, double taps);

/// Returns `x` resampled along the given axes. If weights apply to integers, they are computed as floats and truncated.
mlir::Value resample(NnBuilder &nn, mlir::Value x, llvm::ArrayRef<ResampledAxis> axes);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H
