// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine rows of instructions that multiply words of bf16.

#ifndef NACRE_CODEGEN_CPU_TILES_BFLOATROWS_H
#define NACRE_CODEGEN_CPU_TILES_BFLOATROWS_H

#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

llvm::ArrayRef<MachineRow> bfloatRows();

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_BFLOATROWS_H
