// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  `nn.if`, `nn.for` and `nn.while` as steps of an entry that jump and repeat.
// Why:   only the taken branch costs anything, and a loop is as long in the model as one of its iterations.
// How:   a region's operators become launches like any others (FormOperators.h). What goes in and out of regions lies in
//        memory that is named here; everything else is a tensor, which gets its place later.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H
#define NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H

#include "compiler/kernels/entries/EntryBuilder.h"

namespace nacre::kernels {

/// Whether `op` has regions, which this lowers.
bool hasRegions(mlir::Operation *op);

mlir::LogicalResult lowerRegions(EntryBuilder &entry, mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_REGIONS_H
