// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `nn.if`, `nn.for` and `nn.while` to steps of an entry that jump and repeat. Only the branch taken costs time,
// and the library contains the steps of a loop only once.
//
// Operators of a region become launches, as outside of regions (FormOperators.h). This file adds memory for values that
// enter or leave regions. All other values are tensors, which get their memory later.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// True if `op` has regions that lowerRegions lowers.
bool hasRegions(mlir::Operation *op);

mlir::LogicalResult lowerRegions(EntryBuilder &entry, mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H
