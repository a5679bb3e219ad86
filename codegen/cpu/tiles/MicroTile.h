// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits one register tile of a contraction: some rows by the columns of one panel, from the first step of the
//        reduction to the store.
// Why:   most of the run time is spent here. The code around it only loops over tiles.
// How:   accumulators are separate 1-D vectors that the loops over the depth carry, so that each is a register. After
//        each block of steps they are added to the sums in memory, and begin at zero again (TileTables.h says why).

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

/// Right operand of the tile: a panel in a weight or in scratch.
struct Panel {
  mlir::Value buffer;
  int64_t width = 1;                     ///< Columns of each part; the parts lie side by side
  llvm::SmallVector<int64_t, 3> strides; ///< Number of elements between two iterations of each loop of the depth
};

/// Part of the reduction that one tile computes without interruption. The tile's addresses include the iterations of
/// the loops outside of `level`.
struct DepthPart {
  unsigned level = 0; ///< Outermost loop of the depth that runs within the part
  int64_t steps = 1;  ///< Iterations of that loop, beginning at the tile's addresses
  /// Buffer and address of the tile's sums between parts, or between blocks of steps. The memory consists of whole rows
  /// of the panel's width. Their number is a multiple of the rows that the machine multiplies together. Null if the
  /// part is the whole reduction in one block.
  mlir::Value sums, sumsAt;
  int64_t sumsStride = 0;
  /// Address in the panel's buffer at which the tile prefetches for later tiles: `aheadStride` elements in each step.
  /// Null if the tile prefetches nothing.
  mlir::Value ahead;
  int64_t aheadStride = 0;
  bool first = true; ///< True if no sums are in memory yet
  bool last = true;  ///< True if the epilogue and the stores follow. Otherwise, the sums are stored to memory.
  /// True if the tile may begin with the sums in memory instead of adding them at the end. This holds if all parts
  /// together are one block.
  bool goesOn = false;
};

/// Returns the blocks in which a tile adds up the steps of `part`.
SumBlocks sumBlocksOf(const MachineRow &machine, const LoopedContraction &contraction, const DepthPart &part);

/// True if LLVM must keep the order of instructions in a kernel of tiles. Tiles use all registers. On x86, LLVM's
/// scheduler starts loads so early that sums are spilled. On arm64, LLVM's order is better because it pairs loads. But
/// cores that issue in order need the order of the emitter.
inline bool keepsOrderOfTiles(const Target &target) { return target.inOrder || !target.arm64; }

/// Emits the tile whose first row and column are at `at`: reduction, epilogue and stores. `buffers` are the buffers of
/// the kernel's arguments.
void emitTile(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
              const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at);

/// Emits the epilogue and the stores of a tile whose sums are complete, and lie in memory as `part` says.
void finishTile(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
                const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MICROTILE_H
