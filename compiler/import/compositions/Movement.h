// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that reorder elements, for the handlers of every format. Axes are counted from the front.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Reverses `x` along `axes`.
mlir::Value reverse(NnBuilder &nn, mlir::Value x, Ints axes);

/// Moves element i of `axis` to (i + shift) modulo the size of the axis.
mlir::Value roll(NnBuilder &nn, mlir::Value x, int64_t axis, int64_t shift);

/// Returns `x` with the elements `filler` after the valid ones of each open axis. The result has no open axis. `filler`
/// is a number, or a value that broadcasts to `x`.
mlir::Value fillOpenAxes(NnBuilder &nn, mlir::Value x, double filler);
mlir::Value fillOpenAxes(NnBuilder &nn, mlir::Value x, mlir::Value filler);

/// Pads `x` at the two ends of each axis by `low` and `high` elements of `value`, a scalar.
mlir::Value padWith(NnBuilder &nn, mlir::Value x, Ints low, Ints high, mlir::Value value);

/// Reverses the first `lengths[b]` elements along `timeAxis`, for each index b of `batchAxis`. The two axes must
/// differ.
mlir::Value reverseSequence(NnBuilder &nn, mlir::Value x, mlir::Value lengths, int64_t batchAxis, int64_t timeAxis);

/// Crops or zero-pads each axis symmetrically to `sizes` elements. If the difference is odd, the front gets the smaller
/// half.
mlir::Value centerCropOrPad(NnBuilder &nn, mlir::Value x, Ints sizes);

/// Returns a constant i1 [rows, columns] that is true if the row equals the column.
mlir::Value diagonalMask(NnBuilder &nn, int64_t rows, int64_t columns);

// Set or take the diagonals of matrices [..., rows, columns]. Diagonals are [..., min(rows, columns)].
mlir::Value setDiagonal(NnBuilder &nn, mlir::Value matrices, mlir::Value diagonal);
mlir::Value takeDiagonal(NnBuilder &nn, mlir::Value matrices);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
