// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sweeps of attention over one row of scores in scratch.
// Why:   the work between the two products of a block of rows does not depend on the instruction that multiplies. It
//        reads sums and writes weights.
// How:   one pass over the row for each sweep that maps, together with the reductions of its results.

#ifndef NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H
#define NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/AttentionForm.h"

namespace nacre::codegen::cpu {

/// Scores of a block of rows, in scratch.
struct ScoreRows {
  mlir::Value sums;   ///< Sums of the first product, in the memory of `scores`
  mlir::Value scores; ///< Scores of f32, written over the sums
  mlir::Value codes;  ///< Codes of the weights; null if the weights are scores
  int64_t pitch = 0, codePitch = 0;
  mlir::Value keySums;                        ///< Sums of codes, one for each key; null if no sweep reads them
  llvm::DenseMap<unsigned, mlir::Value> kept; ///< Result of each reducing sweep, one for each row of the block
};

/// A row of queries: its number, its first address, and the index of each batch loop.
struct QueryRow {
  mlir::Value number, address;
  llvm::ArrayRef<mlir::Value> batch;
};

/// True if there is a combiner for all reductions.
bool canEmitSweeps(const AttentionForm &form);
/// Emits the sweeps over a row. `buffers` are those of the kernel's arguments. The row is `inBlock` rows after the
/// block's first.
void emitSweeps(VectorBuilder &build, const AttentionForm &form, llvm::ArrayRef<mlir::Value> buffers,
                const ScoreRows &rows, const QueryRow &row, Position inBlock);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H
