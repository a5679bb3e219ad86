// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  divides a Winograd convolution into units and blocks, and decides if it is faster than a direct convolution.
// Why:   both depend on channels, image and weight. Plain arithmetic can be tested and tuned without emitting code.
// How:   the multiply-adds of a convolution shrink by (tile * taps)^2 / (tile + taps - 1)^2, but transforms are added.
//        Filters are transformed for each unit, so that they cost less if units have many tiles. The input is
//        transformed for each part of the columns, so that it costs less if units have many columns. Both need scratch,
//        mostly for the sums. Exceeding the second-level cache costs time. Every division is priced.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/WinogradForm.h"
#include <array>
#include <cstdint>

namespace nacre::codegen::cpu {

/// Division into units and blocks. A unit is some tiles of a block of the cut axis by some panels of the weight. It
/// processes the reduction in blocks of channels.
struct WinogradBlocks {
  int64_t extent = 1;      ///< Number of indices of the cut axis in a block
  int64_t groups = 1;      ///< Number of groups of tiles in a block
  int64_t tiles = 1;       ///< Largest number of tiles in a unit
  int64_t columnParts = 1; ///< Number of parts into which the panels are divided
  int64_t panelsPerPart = 1;
  /// Number of units with the same tiles that one thread computes together, if it has that many
  int64_t partsAtOnce = 1;
  int64_t channels = 1; ///< Number of channels in a block of the reduction; the last block may have fewer
};

/// Scratch of a unit in elements: the operands of one block of the reduction, and the sums.
struct WinogradScratch {
  int64_t inputs = 0, filters = 0, sums = 0;

  int64_t bytes(const MachineRow &machine) const {
    return (inputs + filters) * bytesOf(machine.step.types.lhs) + sums * bytesOf(machine.step.types.sum);
  }
};

/// Outputs of a tile along one dimension, for all supported transforms.
inline constexpr std::array<int64_t, 3> kWinogradTiles = {2, 4, 6};

/// Largest tile for bytes. The values of larger tiles do not fit 16 bits.
inline constexpr int64_t kLargestTileOfBytes = 4;

/// Types of products of floats.
inline constexpr ProductTypes kWinogradTypes = {Number::F32, Number::F32, Number::F32};

/// Returns the machine row by which `target` multiplies transformed values; null if the target has none. They are
/// 16-bit integers if the convolution is of bytes. They are f16 if `halfSums` of their products may be added up in f16,
/// and the target can do that. Otherwise, they are f32. The row takes as many channels together as possible.
const MachineRow *winogradRow(const Target &target, bool isOfIntegers, int64_t halfSums = 0);
const MachineRow *winogradRow(const Target &target, const WinogradConvolution &convolution);

/// Outputs of the largest tile, along one dimension, whose transformed values are f16.
inline constexpr int64_t kLargestTileOfHalves = 4;
/// Outputs of the tiles that CPUs without arithmetic of halves take instead. Transformed values are then f32.
inline constexpr int64_t kTileWithoutHalves = 4;

/// True if f16 has enough digits for transformed values (HalfTransforms.h). Errors are about 1.6 times those of a
/// direct convolution with as many steps in f16, and five times with tiles of four outputs.
constexpr bool fitsHalves(const winograd::Method &method) {
  return method.outputs <= kLargestTileOfHalves && method.taps == 3;
}

/// Most products of transformed values that are added up in f16 together. One of them is as large as eight or nine
/// products of a direct convolution.
inline constexpr int64_t kMostWinogradSteps = 32;

/// True if transformed values on `machine` are f16.
inline bool isOfHalves(const MachineRow &machine) { return machine.step.types.lhs == Number::F16; }

/// Returns the lanes of a register of sums in a transform.
inline int64_t lanesOfSums(const MachineRow &machine) {
  return isOfHalves(machine) ? machine.registerBytes() / bytesOf(machine.step.types.sum) : machine.step.lanes;
}

/// Returns the fastest division, with panels of `width` columns, on a core whose second-level cache has `cacheBytes`
/// bytes.
WinogradBlocks divideWinograd(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                              uint64_t cacheBytes);

/// Division of the gradient of a filter. A unit is some channels by some columns. It processes all tiles, a few at a
/// time.
struct GradientBlocks {
  int64_t channels = 0, columns = 0; ///< Channels and columns of a unit; 0 if no equal units of whole vectors exist
  int64_t tiles = 1;                 ///< Number of tiles that are transformed together
  int64_t width = 1;                 ///< Number of columns of a panel of the transformed gradient of these tiles
};

GradientBlocks divideGradient(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// Instructions of a transform along both dimensions, for one vector of each of its values.
struct TransformWork {
  double input = 0, filter = 0, products = 0;
};

/// Returns the operations by which transforms on `machine` combine pairs of points.
winograd::Pairs pairsOf(const MachineRow &machine);

TransformWork transformWork(const MachineRow &machine, const winograd::Method &method);

WinogradScratch scratchOf(const WinogradBlocks &blocks, const winograd::Method &method, int64_t width);

/// Returns the shape of the matrix product of one transformed value, for the choice of panels.
ContractionShape productShape(const WinogradShape &shape, int64_t tile);

/// Return the cycles of one core for a direct convolution with the best panels, and for a convolution by Winograd. The
/// results are only comparable with each other. For integers, the two functions have different machine rows: for bytes,
/// and for transformed values.
double directCycles(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);
/// Sums of halves are flushed after `halfSteps` channels.
double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                      uint64_t cacheBytes, int64_t halfSteps = kMostWinogradSteps);

/// Returns the cycles of one core for the gradient of the filter by Winograd. A direct gradient takes as long as the
/// direct convolution.
double gradientCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes);

/// Returns the fastest tile of at most `largest` outputs, with the best panels for each tile. 0 if a direct convolution
/// by the machine row `direct` is faster or nearly as fast.
int64_t chooseWinogradTile(const MachineRow &machine, const MachineRow &direct, const WinogradShape &shape,
                           uint64_t cacheBytes, int64_t largest = kWinogradTiles.back());
/// Returns the fastest tile for the gradient of a filter; 0 if a direct gradient is faster.
int64_t chooseGradientTile(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADTABLES_H
