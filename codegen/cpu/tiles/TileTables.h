// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the register tiles that compute a contraction of a given shape on a given machine row.
// Why:   the tile decides the speed of a model. Plain arithmetic can be tested and tuned without emitting code.
// How:   a step of the reduction on a tile of `rows` x `vectors` accumulators costs the largest of these times:
//        multiply-adds, loads, and latency. Every width of panels and every division of the rows is priced.

#ifndef NACRE_CODEGEN_CPU_TILES_TILETABLES_H
#define NACRE_CODEGEN_CPU_TILES_TILETABLES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen::cpu {

/// Cut axis of a kernel, for its division into units.
struct CutShape {
  int64_t extent = 1;
  int64_t rowsPerIndex = 1;  ///< Rows of Lhs for one index of the axis
  int64_t bytesPerIndex = 1; ///< Size in bytes of the rows for one index
  int64_t parts = 1;         ///< Number of units into which a block of any extent is divided
};

/// Division of a run of rows into tiles: `count` tiles of `rows` rows each, then one tile for each number of rows in
/// `tail`.
struct RunSplit {
  int64_t rows = 1;
  int64_t count = 0;
  llvm::SmallVector<int64_t, 2> tail;
  double cycles = 0; ///< Cycles of the whole run for one step of an instruction
};

/// True if the accumulators and the operands of a tile fit the registers.
bool tileFits(const MachineRow &machine, int64_t rows, int64_t vectors);
/// True if the registers cannot hold the columns of two steps: the columns being multiplied and the columns being
/// loaded.
bool leavesFewRegisters(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns the largest number of rows of a tile whose elements do not evict one another from the first-level cache.
/// Rows that are a multiple of 4 KiB apart share one set of this cache.
int64_t mostRows(const MachineRow &machine, int64_t rowBytes);

/// True if the last vector of `columns` columns is computed in registers of half the lanes.
bool endsInHalf(const MachineRow &machine, int64_t columns);

/// Returns the largest number of rows of a tile of `columns` columns, for a contraction of this shape.
int64_t mostRows(const MachineRow &machine, const ContractionShape &shape, int64_t columns);

/// Returns the cheapest division of `rows` rows into tiles. Tiles are `vectors` vectors wide and have at most `most`
/// rows. If `greedy`, all tiles except the last are equal, as in a loop that runs as long as whole tiles are left.
RunSplit splitRun(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t depth, int64_t most = 16,
                  bool greedy = false);

/// Division of the reduction's loops (outermost first) into parts. Loop `level` is divided into parts of `steps`
/// iterations. The loops inside it are not divided. Each iteration of the loops around it repeats the parts. The very
/// last part may have fewer steps.
struct DepthSplit {
  unsigned level = 0;
  int64_t steps = 1;
  int64_t count = 1; ///< Number of all parts; 1 if the reduction is not divided
};

/// Chooses parts so short that the first-level cache keeps the part of a panel that one tile reads until the next tile
/// reads it. A step of the panel has `stepBytes` bytes. If one loop is the whole reduction, its parts are multiples of
/// `unroll` steps.
DepthSplit splitDepth(llvm::ArrayRef<int64_t> loops, int64_t stepBytes, uint64_t cacheBytes, int64_t unroll = 4);

/// Largest number of steps of a reduction that are added up without blocks.
inline constexpr int64_t kSerialSteps = 1024;

/// Blocks in which a tile adds up its sums. Long reductions are divided into blocks that each begin at zero, to limit
/// rounding errors. The error then grows with the length of a block plus the number of blocks, not with their product.
/// Loop `level` is divided into blocks of `steps` iterations; the last may be shorter. Loops inside it are not divided.
struct SumBlocks {
  unsigned level = 0;
  int64_t steps = 1;
  bool divided = false; ///< False if one block is the whole reduction
};

/// Chooses the blocks of a reduction with the loops `loops`. The innermost loop takes `unroll` steps in each iteration.
/// If the reduction has more than `serial` steps, blocks have at most `most` steps, which must be at least `unroll`.
SumBlocks chooseSumBlocks(llvm::ArrayRef<int64_t> loops, int64_t unroll, int64_t serial = kSerialSteps,
                          int64_t most = 512);

/// Returns the number of columns of each part of the product in a panel. It is a multiple of a register's lanes.
int64_t choosePanelWidth(const MachineRow &machine, const ContractionShape &shape);

/// Returns the number of columns of a panel that tiles multiply by together. This is less than `width` if another CPU
/// chose panels that are too wide for tiles of several rows.
int64_t sliceOfPanel(const MachineRow &machine, const ContractionShape &shape, int64_t width);

/// Returns the cycles that one core needs for one of the shape's runs, in panels of `width` columns. Without `width`,
/// the panels have the best width.
double runCycles(const MachineRow &machine, const ContractionShape &shape, int64_t width);
double runCycles(const MachineRow &machine, const ContractionShape &shape);

/// Returns the number of indices of the cut axis in a block of units. The rows of a block fit the second-level cache
/// while panels stream past, and there are enough blocks for several threads. If an index is one row, the result is a
/// multiple of `rows`.
int64_t chooseBlock(const CutShape &cut, int64_t rows, uint64_t cacheBytes);

/// Work of a launch that reads a weight of the model, which is f32.
struct WeightReading {
  double multiplyAdds = 0;
  double elements = 0;  ///< Number of the weight's elements
  bool repeats = false; ///< True if the next launch reads the same weight, as in a loop
};

/// True if a launch would be faster with a weight that is stored as `narrow`, in fewer bytes. A roofline model decides:
/// the core multiplies and decodes while the weight streams in. `cacheBytes` is the size of the second-level cache.
bool gainsByFewerBytes(const MachineRow &machine, const WeightReading &reading, Number narrow, uint64_t cacheBytes);

/// Returns how many steps one iteration of a tile's inner loop takes, in steps of an instruction. The registers without
/// sums must hold the elements of a row for all these steps.
int64_t stepsPerIteration(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns how many registers of columns one load fills in the loop of a tile that is as wide as its panel. The load
/// also advances its address. It is the machine's longest load, or a pair. The result divides the columns of an
/// iteration, and the registers hold two such loads. 0 if no load fits.
int64_t registersPerStream(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Returns a multiple of the steps per iteration of all tiles. Parts and blocks of the reduction are multiples of it,
/// so that no tile has a remainder in each of them.
int64_t stepsOfLargeTiles(const MachineRow &machine);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILETABLES_H
