// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends the kernels of a block of `nn` operators, and their launches, to an entry. The block is a function, a branch,
// or an iteration of a loop.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// Lowers `block`. `entry` must already map the values from outside that the block uses. Afterwards it also maps the
/// operands of the terminator.
mlir::LogicalResult formOperators(EntryBuilder &entry, mlir::Block &block);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H
