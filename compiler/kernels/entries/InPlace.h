// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the new value of a state or of a carried value may overwrite the old one. This saves memory and a
// copy per iteration, but all readers of the old value must come before.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
#define NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::kernels {

/// True if all other operations of the block of `step` that read `old`, or a part of it, come before `step`. Readers
/// inside of `step`, a conditional, don't count.
bool isReadBefore(mlir::Value old, mlir::Operation *step);

/// True if a launch of `block` (an iteration or one of its branches) computes `next` and may write it over `old`. All
/// other readers of `old` in the block must come before it. The launch itself must read each element only where it
/// writes it.
bool mayOverwrite(mlir::Value old, mlir::Value next, mlir::Block *block);

/// True if `value` may share the memory of one of `sources`: as a whole, as a part, or under another shape.
bool mayLieIn(mlir::Value value, const llvm::DenseSet<mlir::Value> &sources);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
