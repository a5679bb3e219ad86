// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the division of a Winograd convolution into units and blocks, and the test if it is faster than a direct one.
// Why:   that depends on channels, image and weight. Plain arithmetic can be tested and tuned without emitting code.
// How:   the multiply-adds of a convolution fall by (tile * taps)^2 / (tile + taps - 1)^2, but transforms are added.
//        Filters are transformed for each unit, so that many tiles per unit make them cheap. The input is transformed
//        for each part of the columns, so that many columns do. Both need scratch, most of all for the sums, and
//        exceeding the second-level cache costs time. Every division is priced.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/Winograd.h"
#include <array>
#include <cstdint>

namespace nacre::codegen::cpu {

/// Division into units and blocks. A unit is some tiles of a block of the cut axis by some panels of the weight. It
/// goes through the reduction in blocks of channels.
struct WinogradBlocks {
  int64_t extent = 1;      ///< Indices of the cut axis in a block
  int64_t groups = 1;      ///< Groups of tiles in a block
  int64_t tiles = 1;       ///< Most tiles of a unit
  int64_t columnParts = 1; ///< Parts of the panels
  int64_t panelsPerPart = 1;
  int64_t partsAtOnce = 1; ///< Units with the same tiles that one thread computes together, if it has them
  int64_t channels = 1;    ///< Channels in a block of the reduction; the last one may have fewer
};

/// Elements of a unit's scratch: the operands of one block of the reduction, and the sums.
struct WinogradScratch {
  int64_t inputs = 0, filters = 0, sums = 0;

  int64_t bytes(const MachineRow &machine) const {
    return (inputs + filters) * bytesOf(machine.types.lhs) + sums * bytesOf(machine.types.sum);
  }
};

/// Outputs of a tile along one dimension, for all supported transforms.
inline constexpr std::array<int64_t, 3> kWinogradTiles = {2, 4, 6};

/// Largest tile for bytes. The values of larger tiles do not fit 16 bits.
inline constexpr int64_t kLargestTileOfBytes = 4;

/// Types of the products of floats.
inline constexpr ProductTypes kWinogradTypes = {Number::F32, Number::F32, Number::F32};

/// Returns the row with which `target` multiplies: floats, or the 16-bit numbers into which transforms turn bytes, with
/// as many channels at once as possible. Null if it has no such row.
const MachineRow *winogradRow(const Target &target, bool isOfIntegers);

/// Returns the fastest division, in panels of `width` columns, on a core with a second-level cache of `cacheBytes`.
WinogradBlocks divideWinograd(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                              uint64_t cacheBytes);

/// Division of the gradient of a filter. A unit is some channels by some columns, and goes through all tiles, a few at
/// a time.
struct GradientBlocks {
  int64_t channels = 0, columns = 0; ///< Channels and columns of a unit; 0 if there are no equal units of whole vectors
  int64_t tiles = 1;                 ///< Tiles transformed together
  int64_t width = 1;                 ///< Columns of a panel of these tiles
};

GradientBlocks divideGradient(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// Instructions of a transform along both dimensions, for one vector of each of its values.
struct TransformWork {
  double input = 0, filter = 0, products = 0;
};

/// Returns the operations that the machine's transforms use for pairs of points.
winograd::Pairs pairsOf(const MachineRow &machine);

TransformWork transformWork(const MachineRow &machine, const winograd::Method &method);

WinogradScratch scratchOf(const WinogradBlocks &blocks, const winograd::Method &method, int64_t width);

/// Returns the shape of the product of one transformed value, for the choice of panels.
ContractionShape productShape(const WinogradShape &shape, int64_t tile);

/// Returns the cycles of one core for a direct convolution with the best panels, and for one by Winograd. They are only
/// comparable with each other. For integers, the machine rows differ: one for bytes, one for their transforms.
double directCycles(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);
double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                      uint64_t cacheBytes);

/// Returns the cycles of one core for the gradient of the filter. A direct gradient takes as long as the convolution.
double gradientCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// Returns the fastest tile up to `largest`, with the best panels for each. 0 if a direct convolution, by the row
/// `direct`, is faster or nearly as fast.
int64_t chooseWinogradTile(const MachineRow &machine, const MachineRow &direct, const WinogradShape &shape,
                           uint64_t cacheBytes, int64_t largest = kWinogradTiles.back());
/// Returns the fastest tile for the gradient of a filter, or 0.
int64_t chooseGradientTile(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
