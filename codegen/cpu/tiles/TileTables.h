// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  choice of the register tiles that compute a contraction of a given shape on a given machine row.
// Why:   the tile decides the speed of a model; plain arithmetic can be tested and tuned without emitting code.
// How:   a step of the reduction costs a tile of `rows` x `vectors` accumulators the largest of three times: its
//        multiply-adds, its loads and their latency. Every width of panels and every cut of the rows is priced.

#ifndef NACRE_CODEGEN_CPU_TILES_TILETABLES_H
#define NACRE_CODEGEN_CPU_TILES_TILETABLES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen::cpu {

/// A kernel's cut axis, as the division into units sees it.
struct CutShape {
  int64_t extent = 1;
  int64_t rowsPerIndex = 1;  ///< Rows of Lhs for one index of the axis
  int64_t bytesPerIndex = 1; ///< Bytes that these rows have
  int64_t parts = 1;         ///< Number of units that a block of any extent is divided into
};

/// Division of a run into tiles: `count` tiles of `rows` rows each, then the tiles of `tail`.
struct RunSplit {
  int64_t rows = 1;
  int64_t count = 0;
  llvm::SmallVector<int64_t, 2> tail;
  double cycles = 0; ///< Cycles of the whole run for one step of an instruction
};

/// True if a tile's accumulators and operands fit the registers.
bool tileFits(const MachineRow &machine, int64_t rows, int64_t vectors);
/// True if the registers cannot hold the columns of two steps: those being multiplied and those being loaded.
bool leavesFewRegisters(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns the largest number of rows of a tile whose elements do not evict one another from the first-level cache.
/// Rows that are a multiple of 4 KiB apart share one set of it.
int64_t mostRows(const MachineRow &machine, int64_t rowBytes);

/// True if the last vector of `columns` columns is computed in registers of half the lanes.
bool endsInHalf(const MachineRow &machine, int64_t columns);

/// Returns the largest number of rows of a tile with `columns` columns of a contraction of this shape.
int64_t mostRows(const MachineRow &machine, const ContractionShape &shape, int64_t columns);

/// Returns the cheapest division of `rows` rows into tiles that are `vectors` wide and have at most `most` rows. If
/// `greedy`, all tiles are equal except the last, for a loop that runs as long as whole tiles are left.
RunSplit splitRun(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t depth, int64_t most = 16,
                  bool greedy = false);

/// Division of the reduction's loops (outermost first) into parts. Loop `level` is divided into parts of `steps`
/// iterations. The loops inside it stay whole, and the loops around it iterate once per part. The very last part may
/// have fewer steps.
struct DepthSplit {
  unsigned level = 0;
  int64_t steps = 1;
  int64_t count = 1; ///< Number of all parts; 1 if the reduction is not divided
};

/// Chooses parts so short that the first-level cache keeps what a tile reads of a panel until the next tile reads it.
/// `stepBytes` are the panel's bytes for each step. If one loop is the whole reduction, its parts are multiples of
/// `unroll` steps.
DepthSplit splitDepth(llvm::ArrayRef<int64_t> loops, int64_t stepBytes, uint64_t cacheBytes, int64_t unroll = 4);

/// Largest number of steps of a reduction that are added up one after the other.
inline constexpr int64_t kSerialSteps = 1024;

/// Blocks in which a tile adds up its sums. Long reductions are divided into blocks that each begin at zero, to limit
/// rounding errors. The error then grows with the length of a block plus the number of blocks, not with their product.
/// Loop `level` is divided into blocks of `steps` iterations, the last of which may be shorter. Loops inside it stay
/// whole.
struct SumBlocks {
  unsigned level = 0;
  int64_t steps = 1;
  bool divided = false; ///< False if one block is the whole reduction
};

/// Chooses the blocks of these loops, the innermost of which takes `unroll` steps in each iteration.
SumBlocks chooseSumBlocks(llvm::ArrayRef<int64_t> loops, int64_t unroll);

/// Returns the number of columns that a panel has of each part; a multiple of a register's lanes.
int64_t choosePanelWidth(const MachineRow &machine, const ContractionShape &shape);

/// Returns the number of columns of a panel by which rows are multiplied at a time. This is less than `width` if
/// another CPU chose panels that are too wide for tiles of several rows.
int64_t sliceOfPanel(const MachineRow &machine, const ContractionShape &shape, int64_t width);

/// Returns the cycles that one core needs for one of the shape's runs, in panels of `width` columns, or of the best
/// width.
double runCycles(const MachineRow &machine, const ContractionShape &shape, int64_t width);
double runCycles(const MachineRow &machine, const ContractionShape &shape);

/// Returns the number of indices of the cut axis in a block of units. A block's rows stay in the second-level cache
/// while panels stream past, and there are enough blocks for several threads. It is a multiple of `rows` if an index is
/// one row.
int64_t chooseBlock(const CutShape &cut, int64_t rows, uint64_t cacheBytes);

/// Work of a launch that reads a weight of f32.
struct WeightReading {
  double multiplyAdds = 0;
  double elements = 0;  ///< Number of the weight's elements
  bool repeats = false; ///< True if the next launch reads the same weight: a loop's step
};

/// True if a launch would be faster with a weight of type `narrow`, which has half the bytes. A roofline decides: the
/// core multiplies and widens while the weight streams in. `cacheBytes` is the size of the second-level cache.
bool gainsByHalfTheBytes(const MachineRow &machine, const WeightReading &reading, Number narrow, uint64_t cacheBytes);

/// Returns how many steps of an instruction one iteration of a tile's inner loop takes. The registers that the sums
/// leave to a row's elements must hold so many.
int64_t stepsPerIteration(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns how many registers of columns one load of such a tile's loop fills if the panel is as wide as the tile; the
/// load moves its address on. This is the machine's longest load, or a pair. It divides the columns of an iteration,
/// and the registers hold two such loads. 0 if no load fits.
int64_t registersPerStream(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns a multiple of the steps per iteration of all tiles. Parts and blocks of the reduction are multiples of it,
/// so that no tile has a remainder in each.
int64_t stepsOfLargeTiles(const MachineRow &machine);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILETABLES_H
