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

/// Position of a slice: `known`, or an i64 scalar that is computed at run time. Negative ones count from the end.
struct SlicePosition {
  int64_t known = 0;
  mlir::Value computed;
};

/// Returns element `index` of a list of positions.
SlicePosition positionOf(NnBuilder &nn, mlir::Value positions, int64_t index);

/// Returns the elements of `x` along `axis` from `start` up to, but not including, `end`, in steps of `step`, which may
/// be negative. The axis of `x` may be open, and that of the result is.
mlir::Value sliceCounted(NnBuilder &nn, mlir::Value x, int64_t axis, const SlicePosition &start,
                         const SlicePosition &end, int64_t step);

/// Slices operand 0 from the positions in operand 1 to the positions in operand 2, which have one value for each of
/// `axes`. If a number of elements is known only at run time, that axis is open. Reports an error in the body of a loop
/// or in a branch, which cannot have such axes.
void sliceBetween(OperandBinder &node, Ints axes, Ints steps);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_COMPUTEDSLICES_H
