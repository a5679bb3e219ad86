// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a kernel leaves in its storages: which part of each, with which halo.
// Why:   every form of work ends in the same way, with insertions into whole storages.
// How:   from plan.yield through insertions back to the values that are inserted.

#ifndef NACRE_CODEGEN_FORM_WRITTENTENSOR_H
#define NACRE_CODEGEN_FORM_WRITTENTENSOR_H

#include "codegen/form/Access.h"

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen {

/// A tensor that a kernel leaves in a storage: the contract's target.
struct WrittenTensor {
  StridedSlice slice; ///< Without the halo.
  mlir::Type elementType;
  /// From one of its elements to the next along each axis, where others write those in between.
  llvm::SmallVector<int64_t> steps;
  /// The border around it that the kernel writes too, per axis; all zero where there is none.
  llvm::SmallVector<int64_t> haloLow, haloHigh;
  mlir::TypedAttr haloValue; ///< Null where there is none.

  /// From the first of its elements to the last, with those of others in between: what the halo is around.
  StridedSlice hull() const;
};

/// A target and the value that it is filled with.
struct WrittenValue {
  WrittenTensor tensor;
  mlir::Value value;
};

/// The targets of `kernel`, storage by storage. Fails, with the reason in the debug log, where one is no static slice of
/// its storage.
llvm::FailureOr<llvm::SmallVector<WrittenValue, 1>> findWritten(plan::KernelOp kernel);

/// The constant of a linalg.fill; null if `value` is not the result of one.
mlir::TypedAttr constantOfFill(mlir::Value value);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_WRITTENTENSOR_H
