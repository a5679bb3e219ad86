// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sweeps of attention over one row of scores in scratch.
// Why:   what is between two products of a block of rows is the same whatever multiplies: it reads sums and leaves weights.
// How:   a pass over the row for each sweep that maps, with the reductions of what it makes.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_ATTENTIONSWEEPS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_ATTENTIONSWEEPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/AttentionForm.h"

namespace nacre::codegen::cpu {

/// The scores of a block of rows.
struct ScoreRows {
  mlir::Value sums;   ///< Of the first product. They lie where
  mlir::Value scores; ///< these will lie, of f32.
  mlir::Value codes;  ///< Of the weights; null where these are scores.
  int64_t pitch = 0, codePitch = 0;
  mlir::Value keySums;                        ///< Of codes, one for each key; null where nobody reads any.
  llvm::DenseMap<unsigned, mlir::Value> kept; ///< By sweep: what a row is reduced to, one for each row of the block.
};

/// A row of queries: its number, where it begins, and the index of each batch loop.
struct QueryRow {
  mlir::Value number, address;
  llvm::ArrayRef<mlir::Value> batch;
};

/// Whether it knows how to reduce all that is reduced.
bool canEmitSweeps(const AttentionForm &form);
/// `buffers`: of the kernel's arguments. The row is `inBlock` rows from the block's first.
void emitSweeps(VectorBuilder &build, const AttentionForm &form, llvm::ArrayRef<mlir::Value> buffers,
                const ScoreRows &rows, const QueryRow &row, Position inBlock);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_ATTENTIONSWEEPS_H
