// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers from a constant with one axis: a function of an integer, given as a table. Each element depends on one index.
// So the gather is computed like an elementwise operator, while its operand is in registers. The table is an argument
// of the kernel; the body clamps the index.

#ifndef NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
#define NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Returns `op` if it is such a gather, else null.
nn::GatherOp getTableRead(mlir::Operation *op);

/// Emits an index into an axis of `size` elements. Negative indices count from the end. The result is clamped, so that
/// it never reads outside of the axis.
mlir::Value emitClampedIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t size);

/// Emits the read of the element of `table`, an argument of the kernel, at the scalar `index`.
mlir::Value emitTableRead(mlir::OpBuilder &builder, nn::GatherOp op, mlir::Value table, mlir::Value index);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
