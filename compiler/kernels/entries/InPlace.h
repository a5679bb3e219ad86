// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether the next value of something carried may be written over the old one.
// Why:   memory and a copy in each iteration are saved; but a reader of the old value must not come too late.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
#define NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::kernels {

/// Whether everything beside `step`, in its block, that reads `old` or a part of it comes before it. What is inside of `step`, a
/// conditional, does not count.
bool isReadBefore(mlir::Value old, mlir::Operation *step);

/// Whether a launch of `block`, an iteration or a branch in it, computes `next`, and everything else in that block that reads `old` comes
/// before it, and the launch itself reads each element where it writes it.
bool mayOverwrite(mlir::Value old, mlir::Value next, mlir::Block *block);

/// Whether `value` may lie where one of `sources` does: as it is, or as a part of it, or under another shape.
bool mayLieIn(mlir::Value value, const llvm::DenseSet<mlir::Value> &sources);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
