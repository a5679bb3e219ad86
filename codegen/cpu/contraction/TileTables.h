// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which register tiles compute a contraction of a given shape on a given machine row.
// Why:   the tile decides the speed of a model; as plain arithmetic it can be tested and tuned alone.
// How:   a tile of `rows` x `vectors` accumulators costs as many cycles per step of the reduction as its multiply-adds,
//        its loads or their latency take, whichever is most. Every width of panels and every cut of the rows is priced.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_TILETABLES_H
#define NACRE_CODEGEN_CPU_CONTRACTION_TILETABLES_H

#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen::cpu {

/// A kernel's cut axis, as the division into units sees it.
struct CutShape {
  int64_t extent = 1;
  int64_t rowsPerIndex = 1;  ///< Rows of Lhs for one index of the axis.
  int64_t bytesPerIndex = 1; ///< What they read.
  int64_t parts = 1;         ///< Units that a block of any extent is divided into.
};

/// How a run is cut into tiles: `count` of `rows`, then the `tail`.
struct RunSplit {
  int64_t rows = 1;
  int64_t count = 0;
  llvm::SmallVector<int64_t, 2> tail;
  double cycles = 0; ///< Of an instruction's step of the reduction, for the whole run.
};

/// Whether a tile's accumulators and operands fit the registers.
bool tileFits(const MachineRow &machine, int64_t rows, int64_t vectors);
/// Whether not all columns of a step can be on their way while those of the step before are multiplied.
bool leavesFewRegisters(const MachineRow &machine, int64_t rows, int64_t vectors);

/// The most rows of a tile whose elements do not evict one another from the first-level cache: rows a multiple of 4 KiB
/// apart share one set of it.
int64_t mostRows(const MachineRow &machine, int64_t rowBytes);

/// Whether of so many columns the last vector is computed in registers of half the lanes.
bool endsInHalf(const MachineRow &machine, int64_t columns);

/// The most rows of a tile of `columns` columns of such a contraction.
int64_t mostRows(const MachineRow &machine, const ContractionShape &shape, int64_t columns);

/// The cheapest cut of `rows` rows into tiles that are `vectors` wide and at most `most` high. `greedy`: equal tiles
/// and what is left, for a loop that takes as many of the first as there are.
RunSplit splitRun(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t depth, int64_t most = 16,
                  bool greedy = false);

/// How the reduction's loops, outermost first, are divided into parts: loop `level` into parts of `steps`; those inside
/// it stay whole, those around it iterate once per part. The very last part may have fewer steps.
struct DepthSplit {
  unsigned level = 0;
  int64_t steps = 1;
  int64_t count = 1; ///< Parts in all; 1 where the reduction is not divided.
};

/// Parts short enough that what a tile reads of a panel, `stepBytes` a step, is still in the first-level cache when the
/// next tile reads it. Loops that are not inside another go by `unroll` steps at a time.
DepthSplit splitDepth(llvm::ArrayRef<int64_t> loops, int64_t stepBytes, uint64_t cacheBytes, int64_t unroll = 4);

/// Of a reduction, as many as are added up one after the other.
inline constexpr int64_t kSerialSteps = 1024;

/// How the sums of a tile are added up: of very many steps, in blocks that each begin at zero, so that what a rounding
/// costs grows with a block's length and with the number of blocks, not with their product. Loop `level` is divided into
/// blocks of `steps`, of which the last may have fewer; those inside it stay whole.
struct SumBlocks {
  unsigned level = 0;
  int64_t steps = 1;
  bool divided = false; ///< Else one block is all.
};

/// For loops whose innermost goes by `unroll` steps at a time.
SumBlocks chooseSumBlocks(llvm::ArrayRef<int64_t> loops, int64_t unroll);

/// Columns of a panel, of each part's, a multiple of a register's lanes.
int64_t choosePanelWidth(const MachineRow &machine, const ContractionShape &shape);

/// Columns that rows go by at a time, of panels of `width`: where another CPU chose these, they may be too wide for tiles of several
/// rows.
int64_t sliceOfPanel(const MachineRow &machine, const ContractionShape &shape, int64_t width);

/// Cycles of one core for one of the shape's runs, panel by panel: in panels of `width` columns, or in the best.
double runCycles(const MachineRow &machine, const ContractionShape &shape, int64_t width);
double runCycles(const MachineRow &machine, const ContractionShape &shape);

/// Indices of the cut axis in a block of units: rows that stay in the second-level cache while panels go by, and blocks
/// enough for several threads. A multiple of `rows` where an index is a row.
int64_t chooseBlock(const CutShape &cut, int64_t rows, uint64_t cacheBytes);

/// A launch that reads a weight of f32.
struct WeightReading {
  double multiplyAdds = 0;
  double elements = 0;  ///< Of the weight.
  bool repeats = false; ///< The next launch reads the same: a loop's step.
};

/// Whether a launch would be faster if its weight were `narrow`, of half the bytes, by a roofline: the weight streams
/// through the core while that multiplies, and widens it. `cacheBytes` is the second-level cache's size.
bool gainsByHalfTheBytes(const MachineRow &machine, const WeightReading &reading, Number narrow, uint64_t cacheBytes);

/// An instruction's steps of the reduction that one iteration of the inner loop of a tile takes: those that the registers left
/// to a row's elements hold.
int64_t stepsPerIteration(const MachineRow &machine, int64_t rows, int64_t vectors);

/// Registers of columns that one load brings in the loop of such a tile, if its panel is as wide, and which then moves its
/// address on: the machine's longest loads, or pairs. An iteration takes all that they bring, and the registers hold what one brings
/// and what is on its way; 0 where there are no such loads.
int64_t registersPerStream(const MachineRow &machine, int64_t rows, int64_t vectors);

/// What the longest of them are multiples of: parts and blocks of the reduction are, so that no tile has a rest in each.
int64_t stepsOfLargeTiles(const MachineRow &machine);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_TILETABLES_H
