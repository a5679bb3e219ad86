// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one register tile of a contraction: some rows by the columns of one panel, from the first step of the
//        reduction to the store.
// Why:   most of the time is spent here; the code around it only loops over tiles.
// How:   accumulators are separate 1-D vectors that the loops over the depth carry, so that each is a register. After
//        each block of steps they are added to the sums in memory and begin at zero again (TileTables.h says why).

#ifndef NACRE_CODEGEN_CPU_TILES_MICROTILE_H
#define NACRE_CODEGEN_CPU_TILES_MICROTILE_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/cpu/tiles/TileEpilogue.h"
#include "codegen/cpu/tiles/TileTables.h"

namespace nacre::codegen::cpu {

struct TileShape {
  int64_t rows = 1;
  int64_t columns = 1; ///< Number of valid columns of each part; the last vector may have more lanes
  const MachineRow &machine;
};

/// Right operand of the tile: a packed panel, in a weight or in scratch.
struct Panel {
  mlir::Value buffer;
  int64_t width = 1;                     ///< Columns of each part; parts lie one after another, as columns do
  llvm::SmallVector<int64_t, 3> strides; ///< Elements from one iteration to the next, for each loop of the depth
};

/// Part of the reduction that a tile computes at once. The addresses contain the iterations of the loops outside of
/// `level`.
struct DepthPart {
  unsigned level = 0; ///< Outermost loop of the depth that runs
  int64_t steps = 1;  ///< Iterations of that loop, from the tile's addresses on
  /// Memory for the tile's sums between parts, or between blocks of steps; it begins at `sumsAt`. It consists of whole
  /// rows of the panel's width, a multiple of the rows that the machine multiplies at once. Null if the part is the
  /// whole reduction in one block.
  mlir::Value sums, sumsAt;
  int64_t sumsStride = 0;
  /// Address in the panel's buffer from which the tile prefetches `aheadStride` elements in each step, for later tiles.
  /// Null if it prefetches nothing.
  mlir::Value ahead;
  int64_t aheadStride = 0;
  bool first = true; ///< True if no sums are in memory yet
  bool last = true;  ///< True if the epilogue and the stores follow; else the sums go back to memory
  /// True if the tile may begin with the sums in memory instead of adding them at the end: all parts together are one
  /// block.
  bool goesOn = false;
};

/// Returns the blocks in which a tile adds up its part.
SumBlocks sumBlocksOf(const MachineRow &machine, const LoopedContraction &contraction, const DepthPart &part);

/// True if LLVM must keep the order of instructions in a kernel of tiles. Tiles use all registers, and LLVM's scheduler
/// starts loads so early that sums are spilled, most of them under its models of Intel's cores. On arm64 its order is
/// better, because it pairs loads. But cores that issue in order need the order of the emitter.
inline bool keepsOrderOfTiles(const Target &target) { return target.inOrder || !target.arm64; }

/// Computes the tile whose first row and column are at `at`: reduction, epilogue, stores. `buffers` are the kernel's.
void emitTile(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
              const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MICROTILE_H
