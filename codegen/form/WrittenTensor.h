// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors that a kernel writes: for each, its part of a storage, and its halo.
// Why:   every form of work ends in the same way, with insertions into whole storages.
// How:   the reader follows insertions from plan.yield back to the values that are inserted.

#ifndef NACRE_CODEGEN_FORM_WRITTENTENSOR_H
#define NACRE_CODEGEN_FORM_WRITTENTENSOR_H

#include "codegen/form/Access.h"

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen {

/// A tensor that a kernel writes to a storage. docs/phases/kernels.md calls it the target.
struct WrittenTensor {
  StridedSlice slice; ///< The tensor without its halo.
  mlir::Type elementType;
  /// Distance between neighboring elements along each axis, in elements. Above 1 if other launches write the elements
  /// in between.
  llvm::SmallVector<int64_t> steps;
  /// Width of the border that the kernel also writes, in elements of each axis. All zero if there is no halo.
  llvm::SmallVector<int64_t> haloLow, haloHigh;
  mlir::TypedAttr haloValue; ///< Null if there is no halo.

  /// Returns the slice that begins with the first element, ends with the last one, and has no gaps. The halo surrounds
  /// this slice.
  StridedSlice hull() const;
};

/// A target and the value that is written to it.
struct WrittenValue {
  WrittenTensor tensor;
  mlir::Value value;
};

/// Returns the targets of `kernel`, grouped by storage. Fails, with the reason in the debug log, if a target is not a
/// static slice of its storage.
llvm::FailureOr<llvm::SmallVector<WrittenValue, 1>> findWritten(plan::KernelOp kernel);

/// Returns the constant of a linalg.fill; null if `value` is not the result of a linalg.fill.
mlir::TypedAttr constantOfFill(mlir::Value value);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_WRITTENTENSOR_H
