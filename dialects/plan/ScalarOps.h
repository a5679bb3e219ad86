// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operations on scalars that bodies of kernels may hold besides `arith` and `math`.
// Why:   quantized layers round, clamp, requantize and look up bytes. If these steps were spelled out, emitters would
//        have to recognize them again to choose instructions.
// How:   expand() defines each operation by `arith`, `math` and `tensor`. Engines without an instruction compute that.

#ifndef NACRE_DIALECTS_PLAN_SCALAROPS_H
#define NACRE_DIALECTS_PLAN_SCALAROPS_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

#define GET_OP_CLASSES
#include "dialects/plan/ScalarOps.h.inc"

namespace nacre::plan {

/// True if `op` is one of the operations on scalars.
bool isScalar(mlir::Operation *op);

/// True if `byte`, a result of plan.round or plan.clamp, is an unsigned byte.
bool isUnsigned(mlir::Value byte);

/// Number of operations to which a scalar operation expands.
struct ScalarCost {
  unsigned arithmetic = 0;
  unsigned conversions = 0; ///< Extensions and truncations of integers
};
ScalarCost costOf(mlir::Operation *op);

/// Emits what `op`, an operation on scalars, computes of `operands`. These may also be vectors of the same number of
/// elements, except for a lookup.
mlir::Value expand(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Expands all operations on scalars inside `root`.
void expandScalars(mlir::Operation *root);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_SCALAROPS_H
