// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the new value of a state or of a carried value may overwrite the old one. This saves memory and a
// copy per iteration, but all readers of the old value must come before the write.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
#define NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::kernels {

/// True if all operations in the block of `step` that read `old`, or a part of it, come before `step`. Readers inside
/// of `step`, which may be a conditional, don't count.
bool isReadBefore(mlir::Value old, mlir::Operation *step);

/// True if a launch in `block` (an iteration or one of its branches) computes `next` and may write it over `old`. All
/// other readers of `old` in the block must come before this launch. The launch itself must read each element of `old`
/// only where it writes that element.
bool mayOverwrite(mlir::Value old, mlir::Value next, mlir::Block *block);

/// True if `value` may share memory with one of `sources`, completely, in part, or under another shape.
bool mayLieIn(mlir::Value value, const llvm::DenseSet<mlir::Value> &sources);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_INPLACE_H
