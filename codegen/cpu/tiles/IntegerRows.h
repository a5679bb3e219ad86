// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine rows of bytes and of 16-bit integers.

#ifndef NACRE_CODEGEN_CPU_TILES_INTEGERROWS_H
#define NACRE_CODEGEN_CPU_TILES_INTEGERROWS_H

#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

/// Returns the rows whose sums are of i32.
llvm::ArrayRef<MachineRow> integerRows();

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_INTEGERROWS_H
