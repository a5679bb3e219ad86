// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  transposes a block of elements in registers.
// Why:   neighbours in the result are far apart in the source. Moving single elements would take one or two
//        instructions for each.
// How:   halves of rows are exchanged, then quarters, and so on. This takes log n steps of n shuffles.

#ifndef NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
#define NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Transposes the square matrix `rows` in place. Each vector has as many lanes as there are rows, a power of two.
void transposeInRegisters(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

/// Transposes a matrix with at most as many rows as lanes; both are powers of two. Each resulting vector holds several
/// columns, one after another. SSE has an instruction for each of these shuffles, for elements of every size.
void transposeByInterleaving(VectorBuilder &build, llvm::MutableArrayRef<mlir::Value> rows);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TRANSPOSEINREGISTERS_H
