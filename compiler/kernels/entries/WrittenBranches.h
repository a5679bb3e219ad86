// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the branches of a conditional write a carried value directly to its memory. Masked sequences, and sequences that
// end early, change their states under a condition. If the condition is false, nothing should be copied.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H
#define NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::kernels {

/// Makes the branches that compute `next` write to `memory`, if no reader of the old value `old` comes too late. `old`
/// is the tensor in `memory`. A branch that yields `old` then does nothing. `overwritten` lists the tensors of all
/// memory that the iteration overwrites. Returns false, without changes, if that is impossible.
bool writeInBranches(mlir::Value old, mlir::Value next, mlir::Value memory,
                     const llvm::DenseSet<mlir::Value> &overwritten);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H
