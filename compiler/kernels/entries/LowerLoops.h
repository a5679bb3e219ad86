// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `nn.for` and `nn.while` to `plan.for` and `plan.while`. An iteration reads and writes views of memory that
// move with the counter, so that most values are never copied.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H

#include "compiler/kernels/entries/EntryBuilder.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

mlir::LogicalResult lowerFor(EntryBuilder &entry, nn::ForOp op);
mlir::LogicalResult lowerWhile(EntryBuilder &entry, nn::WhileOp op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_LOWERLOOPS_H
