// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that reorder elements, for the handlers of every format. Axes count from the front.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Reverses some axes.
mlir::Value reverse(NnBuilder &nn, mlir::Value x, Ints axes);

/// Moves element i of an axis to (i + shift) modulo the size.
mlir::Value roll(NnBuilder &nn, mlir::Value x, int64_t axis, int64_t shift);

/// Pads each axis by `low` and `high` elements of `value`, a scalar.
mlir::Value padWith(NnBuilder &nn, mlir::Value x, Ints low, Ints high, mlir::Value value);

/// Reverses the first `lengths[b]` elements along `timeAxis` for each index b of `batchAxis`, which is another axis.
mlir::Value reverseSequence(NnBuilder &nn, mlir::Value x, mlir::Value lengths, int64_t batchAxis, int64_t timeAxis);

/// Crops or zero-pads each axis symmetrically to `sizes` elements. An odd difference leaves the smaller part at the
/// front.
mlir::Value centerCropOrPad(NnBuilder &nn, mlir::Value x, Ints sizes);

/// Returns a constant i1 [rows, columns] that is true if row and column are equal.
mlir::Value diagonalMask(NnBuilder &nn, int64_t rows, int64_t columns);

// Set or take the diagonals, [..., min(rows, columns)], of matrices [..., rows, columns].
mlir::Value setDiagonal(NnBuilder &nn, mlir::Value matrices, mlir::Value diagonal);
mlir::Value takeDiagonal(NnBuilder &nn, mlir::Value matrices);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
