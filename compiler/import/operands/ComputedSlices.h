// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices at positions that are computed at run time.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_COMPUTEDSLICES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_COMPUTEDSLICES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Returns `length` elements of `x` along `axis`, from `start` on with a distance of `step`. `start` is one integer;
/// negative values count from the end. It is clamped so that all elements are inside. The axis must be long enough.
mlir::Value sliceAt(NnBuilder &nn, mlir::Value x, int64_t axis, mlir::Value start, int64_t length, int64_t step);

/// Slices operand 0 from the positions in operand 1 to the positions in operand 2, which have one value for each of
/// `axes`. The number of elements or the start must be known for each axis. If only the start is known, the axis is
/// open. Reports an error if neither is known.
void sliceBetween(OperandBinder &node, Ints axes, Ints steps);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_COMPUTEDSLICES_H
