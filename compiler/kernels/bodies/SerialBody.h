// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the body of a serial kernel, a small program for each point of the results. Running sums, scatters, selections
// and non-maximum suppressions must keep the order of their steps. The bits of their results then don't depend on how
// the kernel is divided. These operators differ only in their programs.
//
// One scf.forall runs over the points. A point owns a part of every result. Its program reads and writes this part by
// tensor.extract and tensor.insert (docs/phases/kernels.md).

#ifndef NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
#define NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

/// Division of the results into points, by axes of the first result. Other results of the same rank are divided in the
/// same way. If results differ in rank, the kernel must have only one point.
struct SerialPoints {
  /// Axes along which each index (or group of `grain` indices) is a separate point; empty if there is only one point.
  llvm::SmallVector<int64_t> axes;
  /// Number of indices of the first of `axes` that a point owns (the last point may own fewer); 0 for all indices.
  int64_t grain = 1;
};

/// Point for which a program is written.
struct SerialPoint {
  /// Index of the point on each axis of the first result: constant 0 if the axis has size 1, null if the point owns the
  /// whole axis.
  llvm::SmallVector<mlir::Value> at;
  /// Number of indices that the point owns on the axis with the grain. It is a constant if all points own the same
  /// number.
  mlir::Value size;
};

/// Program of a point. It receives the parts of the results that the point owns. They have the rank of the results, and
/// their indices begin at 0. It returns their new contents. After a write, it must read only the tensor that the write
/// returned.
using SerialProgram =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const SerialPoint &, mlir::ValueRange parts)>;

/// Ends the kernel with one scf.forall over `points` that runs `program`.
mlir::LogicalResult finishSerial(KernelBody &body, const SerialPoints &points, SerialProgram program);

/// Emits for (i = begin; i < end; ++i). `carried` (scalars and parts) is passed from each iteration to the next.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Value, mlir::ValueRange)> body);

/// Emits `body` on `carried` if `condition` is true. Otherwise, the results are `carried` itself.
llvm::SmallVector<mlir::Value>
emitIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> body);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
