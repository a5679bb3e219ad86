// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  transposes a square block of elements without going through memory.
// Why:   elements that are far apart in the source lie side by side in the target; moved one by one, each would cost
//        one or two instructions.
// How:   halves of rows change places, then quarters, and so on: log n steps of n shuffles.

#ifndef NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
#define NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Transposes `rows`: vectors of as many lanes as there are rows, a power of two.
void transposeInRegisters(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

/// Transposes at most as many rows as lanes, both powers of two. Each result has several columns, one after another.
/// SSE has instructions for its shuffles, for elements of every size.
void transposeByInterleaving(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
