// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes kernels that apply one function to every element, so that the order of elements does not matter.
// Why: an optimizer's update only needs all its operands in the same order. A weight that convolutions read in panels
//      is therefore updated in its panels and need not be reordered.

#ifndef NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H
#define NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"

namespace nacre::encode {

/// True if the kernel is one parallel map over whole tensors of one shape. Its inputs may also be scalars.
bool isElementwise(plan::KernelOp kernel);

/// True if argument `argument` is a tensor that the kernel maps, false if it is a scalar. The kernel must be
/// elementwise.
bool isMapped(plan::KernelOp kernel, unsigned argument);

/// Returns a clone of an elementwise kernel on tensors [rows, columns], with axis 0 as its cut axis.
plan::KernelOp cloneOver(mlir::OpBuilder &builder, plan::KernelOp kernel, llvm::StringRef name, int64_t rows,
                         int64_t columns);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H
