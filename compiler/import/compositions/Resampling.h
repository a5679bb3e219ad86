// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resized images, for the handlers of every format, by the tables of ResampleTables.h.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/compositions/ResampleTables.h"

namespace nacre::importer {

struct ResampledAxis {
  int64_t axis;
  AxisTable table;
};

/// Whether a table of so many entries may be made, which it is counted for; else false, and an error was reported.
bool allowsTable(NnBuilder &nn, int64_t positions, double taps);

/// `x` with some axes resampled. Integers that are weighted are computed as floats and truncated.
mlir::Value resample(NnBuilder &nn, mlir::Value x, llvm::ArrayRef<ResampledAxis> axes);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RESAMPLING_H
