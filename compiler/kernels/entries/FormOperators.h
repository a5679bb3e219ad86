// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  appends the kernels of a block of `nn` operators, and their launches, to an entry.
// Why:   a function is such a block, and so is a step of a recurrent layer.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// Values from outside of `block` are those that `entry` maps; what the terminator reads is computed and mapped.
mlir::LogicalResult formOperators(EntryBuilder &entry, mlir::Block &block);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_FORMOPERATORS_H
