// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels that do the same to every element, wherever it lies.
// Why:   an update of a weight, and what assigns it, reads and writes memory in any order that all its operands share: so a
//        state that convolutions read in panels never has to be put in another order to be changed.

#ifndef NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H
#define NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"

namespace nacre::encode {

/// Whether the kernel is one map of whole tensors of one shape, and of scalars.
bool isElementwise(plan::KernelOp kernel);

/// Whether an argument of such a kernel is a tensor of the shape that it maps, not a scalar.
bool isMapped(plan::KernelOp kernel, unsigned argument);

/// Such a kernel over tensors of two axes, cut along the first.
plan::KernelOp cloneOver(mlir::OpBuilder &builder, plan::KernelOp kernel, llvm::StringRef name, int64_t rows,
                         int64_t columns);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_ELEMENTWISEKERNELS_H
