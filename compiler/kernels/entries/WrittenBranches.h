// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lets the branches of a conditional write a carried value where it lies, in place of memory of their own.
// Why:   a state that changes under a condition is what masked and early ended sequences are; where it does not change,
//        nothing should be copied.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H
#define NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::kernels {

/// If branches compute `next`, and nobody reads `old` too late for them to write over it, makes them write into `memory`, which
/// `old` is a tensor of. A branch that hands on `old` then does nothing. `overwritten` are the tensors on all memory that
/// the iteration writes over.
bool writeInBranches(mlir::Value old, mlir::Value next, mlir::Value memory,
                     const llvm::DenseSet<mlir::Value> &overwritten);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_WRITTENBRANCHES_H
