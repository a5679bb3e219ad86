// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  gathers whose source is a constant with one axis: a function of an integer, given as a table.
// Why:   each element depends on one index, so that it is computed like any elementwise operator, where its operand is in registers.
// How:   the table is an argument of the kernel; the body reads it at an index that never leads out of it.

#ifndef NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
#define NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// `op` if it is such a gather, else null.
nn::GatherOp getTableRead(mlir::Operation *op);

/// An index into an axis of `size` elements, as an index inside of it: negative ones count from the end; what is out of
/// range is clamped, so that nothing else can be read.
mlir::Value emitClampedIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t size);

/// The element of `table`, an argument of the kernel, that the scalar `index` names.
mlir::Value emitTableRead(mlir::OpBuilder &builder, nn::GatherOp op, mlir::Value table, mlir::Value index);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
