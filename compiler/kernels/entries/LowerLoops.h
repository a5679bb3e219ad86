// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  `nn.for` and `nn.while` as `plan.for` and `plan.while`.
// Why:   an iteration reads and writes views of memory that move with the counter; nothing is copied that need not be.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H

#include "compiler/kernels/entries/EntryBuilder.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

mlir::LogicalResult lowerFor(EntryBuilder &entry, nn::ForOp op);
mlir::LogicalResult lowerWhile(EntryBuilder &entry, nn::WhileOp op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H
