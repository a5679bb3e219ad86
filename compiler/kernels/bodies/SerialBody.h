// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the body of a serial kernel: a small program for each point of what is written.
// Why:   sums that run along an axis, scatters, selections and suppressions have an order that must not change, so that
//        their bits are the same however a kernel is divided; they differ in their programs alone.
// How:   one scf.forall over the points; a point owns a part of every result, and its program reads and writes that part
//        with tensor.extract and tensor.insert. docs/phases/kernels.md has the form.

#ifndef NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
#define NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

/// How the results are divided into points. Axes are those of the first result; another result of the same rank is
/// divided alike, and any other must belong to a kernel of one point.
struct SerialPoints {
  /// A point for each index of these. None: one point in all.
  llvm::SmallVector<int64_t> axes;
  /// Indices of the first of them that a point owns; fewer in the last point. 0: all.
  int64_t grain = 1;
};

/// A point while its program is written.
struct SerialPoint {
  /// Per axis of the first result: where the point is, a constant 0 where that is the only index; null along axes that
  /// are its own.
  llvm::SmallVector<mlir::Value> at;
  /// How many indices it owns of the axis that has a grain: a constant where all points have as many.
  mlir::Value size;
};

/// The program: from the parts of the results that the point owns, which have the results' rank and begin at 0, to the
/// parts as they are in the end. What it has written it must not read by an older name.
using SerialProgram =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const SerialPoint &, mlir::ValueRange parts)>;

/// Ends the kernel.
mlir::LogicalResult finishSerial(KernelBody &body, const SerialPoints &points, SerialProgram program);

/// for (i = begin; i < end; ++i), with `carried`, scalars and parts, through its iterations.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Value, mlir::ValueRange)> body);

/// `carried` after `body` where `condition` holds, else as it is.
llvm::SmallVector<mlir::Value>
emitIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> body);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_SERIALBODY_H
