// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a square block of elements, transposed without going through memory.
// Why:   elements that are far apart where they are read lie side by side where they are written; one by one they would cost an
//        instruction or two each.
// How:   halves of rows change places, then quarters, and so on: log n steps of n shuffles.

#ifndef NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
#define NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// `rows`: vectors of as many lanes as there are rows, a power of two.
void transposeInRegisters(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

/// The same for no more rows than lanes, both powers of two: each result has several columns, one after another. Its shuffles are
/// instructions of SSE for elements of every size.
void transposeByInterleaving(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
