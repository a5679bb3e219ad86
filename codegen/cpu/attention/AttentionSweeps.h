// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the sweeps of attention over one row of scores in scratch.
// Why:   the work between the two products of attention does not depend on the instruction that multiplies. It reads
//        the sums of the first product and writes the weights for the second.
// How:   each mapping sweep is one pass over the row. The pass also computes the reductions of the sweep's results.

#ifndef NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H
#define NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H

#include "codegen/cpu/attention/VisibleKeys.h"

namespace nacre::codegen::cpu {

/// Scores of a block of rows, in scratch.
struct ScoreRows {
  mlir::Value sums;   ///< Sums of the first product, in the same memory as `scores`
  mlir::Value scores; ///< Scores of type f32, which overwrite the sums
  mlir::Value codes;  ///< Codes of the weights; null if the weights are the scores
  int64_t pitch = 0, codePitch = 0;
  KeyRange keys;                              ///< Keys of the current block. Scores of other keys are not read.
  mlir::Value keySums;                        ///< Sums of codes, one for each key; null if no sweep reads them
  llvm::DenseMap<unsigned, mlir::Value> kept; ///< Result of each reducing sweep: one value for each row of the block
};

/// Row of queries: its index, the address of its first element, and the index in each batch loop.
struct QueryRow {
  mlir::Value number, address;
  llvm::ArrayRef<mlir::Value> batch;
};

/// True if every reduction has a combiner.
bool canEmitSweeps(const AttentionForm &form);
/// Emits the sweeps over the row `row`. `buffers` are the buffers of the kernel's arguments. `inBlock` is the index of
/// the row in its block.
void emitSweeps(VectorBuilder &build, const AttentionForm &form, llvm::ArrayRef<mlir::Value> buffers,
                const ScoreRows &rows, const QueryRow &row, Position inBlock);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_ATTENTION_ATTENTIONSWEEPS_H
