// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the body of a serial kernel: a small program for each point of the results. Running sums, scatters, selections
// and non-maximum suppressions have an order that must not change. Their bits then don't depend on how the kernel is
// divided. They differ only in their programs.
//
// One scf.forall runs over the points. A point owns a part of every result, and its program reads and writes that part
// by tensor.extract and tensor.insert. docs/phases/kernels.md describes the form.

#ifndef NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
#define NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

/// Division of the results into points. Axes are those of the first result. Another result of the same rank is divided
/// in the same way; results of other ranks require a kernel of one point.
struct SerialPoints {
  /// Axes with one point per index; empty if there is only one point.
  llvm::SmallVector<int64_t> axes;
  /// Number of indices of the first axis that a point owns (the last point may own fewer); 0 for all indices.
  int64_t grain = 1;
};

/// Point for which a program is written.
struct SerialPoint {
  /// Index of the point on each axis of the first result: constant 0 if the axis has one index, null for axes that the
  /// point owns as a whole.
  llvm::SmallVector<mlir::Value> at;
  /// Number of indices that the point owns of the axis with the grain; a constant if all points own the same number.
  mlir::Value size;
};

/// Program of a point: receives the parts of the results that the point owns, which have the rank of the results and
/// begin at 0. It returns their new contents. After a write, it must read only the tensor that the write returned.
using SerialProgram =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const SerialPoint &, mlir::ValueRange parts)>;

/// Ends the kernel with one scf.forall over `points` that runs `program`.
mlir::LogicalResult finishSerial(KernelBody &body, const SerialPoints &points, SerialProgram program);

/// Emits for (i = begin; i < end; ++i). `carried`, scalars and parts, pass through the iterations.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Value, mlir::ValueRange)> body);

/// Emits `body` on `carried` if `condition` holds; else returns `carried` unchanged.
llvm::SmallVector<mlir::Value>
emitIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> body);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
