// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes gathers from a constant with one axis. Such a gather is a function of one integer, given as a table. It is
// computed like an elementwise operator, while its operand is in registers. The table is an argument of the kernel, and
// the body clamps the index.

#ifndef NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
#define NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Returns `op` if it is a gather from a constant with one axis, or null.
nn::GatherOp getTableRead(mlir::Operation *op);

/// Emits an index into an axis of `size` elements. Negative indices count from the end. The result is clamped to the
/// axis, so the kernel never reads outside of it.
mlir::Value emitClampedIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t size);

/// Emits a read of `table`, an argument of the kernel, at the scalar `index`.
mlir::Value emitTableRead(mlir::OpBuilder &builder, nn::GatherOp op, mlir::Value table, mlir::Value index);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
