// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the operators of a block as FusionPolicy decides. Each group becomes one kernel.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_OPERATORGROUPS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_OPERATORGROUPS_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

/// Returns the groups of the operators of `block`, in the order of their last members. Does not change the block.
llvm::SmallVector<OperatorGroup> listGroups(mlir::Block &block);

/// Returns the operator whose kernel also computes the result of `op`, which is the operator's result in another order
/// or shape. Returns null if `op` has its own kernel.
mlir::Operation *getWritten(mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_OPERATORGROUPS_H
