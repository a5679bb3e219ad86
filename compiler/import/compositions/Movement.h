// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in another order, for the handlers of every format. Axes count from the front.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Some axes from their ends.
mlir::Value reverse(NnBuilder &nn, mlir::Value x, Ints axes);

/// Element i of an axis goes to i + shift, and around the end.
mlir::Value roll(NnBuilder &nn, mlir::Value x, int64_t axis, int64_t shift);

/// So many elements of `value`, a scalar, more at the ends of each axis.
mlir::Value padWith(NnBuilder &nn, mlir::Value x, Ints low, Ints high, mlir::Value value);

/// The first `lengths[b]` elements along `timeAxis` in reverse order, of each b along `batchAxis`, which is another.
mlir::Value reverseSequence(NnBuilder &nn, mlir::Value x, mlir::Value lengths, int64_t batchAxis, int64_t timeAxis);

/// The middle of each axis, or zeros around it, so that it has `sizes` elements; where they are odd, the smaller part is
/// before.
mlir::Value centerCropOrPad(NnBuilder &nn, mlir::Value x, Ints sizes);

/// Where row and column are equal: i1 [rows, columns], a constant.
mlir::Value diagonalMask(NnBuilder &nn, int64_t rows, int64_t columns);

// Of matrices [..., rows, columns], whose diagonals are [..., min(rows, columns)].
mlir::Value setDiagonal(NnBuilder &nn, mlir::Value matrices, mlir::Value diagonal);
mlir::Value takeDiagonal(NnBuilder &nn, mlir::Value matrices);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_MOVEMENT_H
