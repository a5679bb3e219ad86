// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a tile of a contraction by instructions that multiply matrices in registers of their own (Intel AMX).
// Why:   one such instruction multiplies 16 rows by 16 columns for 16 words of the depth. On the same core, this is
//        four times as fast as dot products of bytes, and five to nine times as fast as fp32.
// How:   a register holds 16 rows of 64 bytes. Rows of the left operand, panels of words and rows of sums have this
//        layout in memory, so each register is loaded or stored by one instruction with a stride. Sums are stored
//        after the reduction, and vectors finish them a few rows at a time (Intel, Optimization Reference Manual,
//        2023, chapter 20).

#ifndef NACRE_CODEGEN_CPU_TILES_MATRIXTILE_H
#define NACRE_CODEGEN_CPU_TILES_MATRIXTILE_H

#include "codegen/cpu/tiles/MicroTile.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::cpu {

/// Rows of a register of matrices, and words in each row.
inline constexpr int64_t kRowsOfMatrix = 16, kWordsOfMatrix = 16;
/// Features of CPUs that multiply matrices.
inline constexpr uint64_t kMatrixNeeds = NACRE_CPU_NEED(NACRE_X86_AMX_INT8) | NACRE_CPU_NEED(NACRE_X86_AMX_BF16);

/// True if the eight registers hold the sums of a tile of `rows` rows and `vectors` times 16 columns, and its operands.
bool matricesFit(int64_t rows, int64_t vectors);

/// True if matrices compute `contraction` faster than vectors: the words of a row follow one another, and there are
/// enough rows and words.
bool suitsMatrices(const LoopedContraction &contraction);

/// Emits the tile as emitTile() does. `part.sums` must not be null.
void emitMatrixTile(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
                    const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MATRIXTILE_H
