// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one register tile of a contraction: some rows by one panel's columns, through the whole reduction to memory.
// Why:   this is where the time goes; what surrounds it only walks over tiles.
// How:   accumulators are separate 1-D vectors carried by the loops over the depth, so that each is a register. After each
//        block of steps they are added to the sums in memory, and begin at zero again: TileTables.h says why.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_MICROTILE_H
#define NACRE_CODEGEN_CPU_CONTRACTION_MICROTILE_H

#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/cpu/contraction/TileEpilogue.h"
#include "codegen/cpu/contraction/TileTables.h"

namespace nacre::codegen::cpu {

struct TileShape {
  int64_t rows = 1;
  int64_t columns = 1; ///< Valid ones, of each part; vectors are whole nonetheless.
  const MachineRow &machine;
};

/// Rhs of the tile: a packed panel, in a weight or in scratch.
struct Panel {
  mlir::Value buffer;
  int64_t width = 1;                     ///< Of each part: they lie one after another, as columns do.
  llvm::SmallVector<int64_t, 3> strides; ///< By loop of the depth.
};

/// The part of the reduction that a tile computes at once. Loops outside of `level` stand still: addresses are theirs.
struct DepthPart {
  unsigned level = 0; ///< Of the depth's loops, the outermost that runs.
  int64_t steps = 1;  ///< Of that loop, from the tile's addresses on.
  /// Where the tile's sums wait between parts, or blocks of steps: whole rows of the panel's width, one after another from
  /// `sumsAt` on, in multiples of those that the machine multiplies at once. Null where a part of one block is all of the reduction.
  mlir::Value sums, sumsAt;
  int64_t sumsStride = 0;
  /// Of the panel's buffer, what the tile asks for while it multiplies: so many elements a step from there on, which tiles
  /// to come read. Null where nothing is.
  mlir::Value ahead;
  int64_t aheadStride = 0;
  bool first = true; ///< Nothing waits yet.
  bool last = true;  ///< Epilogue and stores follow; else the sums go back to where they wait.
  /// The tile may begin with what waits, and not add it in the end: all parts together are a block.
  bool goesOn = false;
};

/// The blocks in which a tile adds up its part.
SumBlocks sumBlocksOf(const MachineRow &machine, const LoopedContraction &contraction, const DepthPart &part);

/// Whether machine code keeps the order of a kernel that is made of tiles. They are as large as the registers allow, and LLVM's
/// scheduler starts loads so early that sums are spilled, under its models of Intel's cores most of them. On arm64 its order is the
/// better one, as it pairs loads; but cores that issue in order start together what was emitted together.
inline bool keepsOrderOfTiles(const Target &target) { return target.inOrder || !target.arm64; }

/// Computes the tile whose first row and column are at `at`: reduction, epilogue, stores. `buffers` are the kernel's.
void emitTile(VectorBuilder &build, const LoopedContraction &contraction, llvm::ArrayRef<mlir::Value> buffers,
              const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_MICROTILE_H
