// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a Winograd convolution is divided into units and blocks, and whether it is faster than a direct one.
// Why:   whether it pays depends on channels, image and weight; as plain arithmetic it can be tested and tuned alone.
// How:   the multiply-adds of a convolution fall by (tile * taps)^2 / (tile + taps - 1)^2. What is added are the transforms: of the
//        filters for each unit, so that many tiles make them cheap; of the input for each part of the columns, so that
//        many columns do. Both take scratch, the sums of all tiles and columns most of all, and what is beyond the
//        second-level cache takes time. Every division is priced.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H

#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/Winograd.h"
#include <array>
#include <cstdint>

namespace nacre::codegen::cpu {

/// A unit is some tiles of a block of the cut axis by some panels of the weight. It goes through the reduction in blocks
/// of channels.
struct WinogradBlocks {
  int64_t extent = 1;      ///< Indices of the cut axis in a block.
  int64_t groups = 1;      ///< Of tiles, in a block.
  int64_t tiles = 1;       ///< Of a unit, at most.
  int64_t columnParts = 1; ///< Of the panels.
  int64_t panelsPerPart = 1;
  int64_t partsAtOnce = 1; ///< Units that differ in their columns alone go together, if one thread has them: so many.
  int64_t channels = 1;    ///< Of a block of the reduction; the last one may have fewer.
};

/// Numbers of a unit's scratch: what is multiplied of a block of the reduction, and the sums.
struct WinogradScratch {
  int64_t inputs = 0, filters = 0, sums = 0;

  int64_t bytes(const MachineRow &machine) const {
    return (inputs + filters) * bytesOf(machine.types.lhs) + sums * bytesOf(machine.types.sum);
  }
};

/// Outputs of a tile along one dimension, of those that there are transforms for.
inline constexpr std::array<int64_t, 3> kWinogradTiles = {2, 4, 6};

/// Numbers of larger tiles of bytes do not fit 16 bits.
inline constexpr int64_t kLargestTileOfBytes = 4;

/// What it multiplies.
inline constexpr ProductTypes kWinogradTypes = {Number::F32, Number::F32, Number::F32};

/// The row that `target` multiplies by: floats, or the numbers of 16 bits that transforms make of bytes, as many channels at once as
/// it can. Null where it has none.
const MachineRow *winogradRow(const Target &target, bool isOfIntegers);

/// The division that is fastest, in panels of `width` columns, on a core with such a second-level cache.
WinogradBlocks divideWinograd(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                              uint64_t cacheBytes);

/// The gradient of a filter: a unit is some channels by some columns, which goes through all tiles, a few at a time.
struct GradientBlocks {
  int64_t channels = 0, columns = 0; ///< Of a unit; 0 where there are no equal units of whole vectors.
  int64_t tiles = 1;                 ///< Transformed together.
  int64_t width = 1;                 ///< Columns of a panel of theirs.
};

GradientBlocks divideGradient(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// Instructions of a transform along both dimensions, for a vector of each of its numbers.
struct TransformWork {
  double input = 0, filter = 0, products = 0;
};

/// What the machine's transforms are made of.
winograd::Pairs pairsOf(const MachineRow &machine);

TransformWork transformWork(const MachineRow &machine, const winograd::Method &method);

WinogradScratch scratchOf(const WinogradBlocks &blocks, const winograd::Method &method, int64_t width);

/// The products of one of a tile's numbers, for panels to be chosen by.
ContractionShape productShape(const WinogradShape &shape, int64_t tile);

/// Cycles of one core, directly with the best panels; the two are to be compared with one another alone. Rows of machines are
/// those of each: of integers, of bytes and of what is made of them.
double directCycles(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);
double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                      uint64_t cacheBytes);

/// Cycles of one core for the gradient of the filter, which directly takes as long as the convolution.
double gradientCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// The tile that is fastest, with the best panels for each, up to `largest`; 0 where a direct convolution, by the row `direct`, is, or
/// nearly.
int64_t chooseWinogradTile(const MachineRow &machine, const MachineRow &direct, const WinogradShape &shape,
                           uint64_t cacheBytes, int64_t largest = kWinogradTiles.back());
/// Of the gradient of a filter.
int64_t chooseGradientTile(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
