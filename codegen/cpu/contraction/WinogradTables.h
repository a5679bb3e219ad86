// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a Winograd convolution is divided into units, and whether it is faster than a direct one.
// Why:   whether it pays depends on channels, image and weight; as plain arithmetic it can be tested and tuned alone.
// How:   the multiply-adds of a convolution fall by 9 * tile^2 / (tile + 2)^2; what grows is the weight, which a unit
//        reads as a whole, and what is added are the transforms, which each part of the columns does again.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_WINOGRADTABLES_H
#define NACRE_CODEGEN_CPU_CONTRACTION_WINOGRADTABLES_H

#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include <array>
#include <cstdint>

namespace nacre::codegen::cpu {

/// A unit is some tiles of a block by some panels of the weight.
struct WinogradBlocks {
  int64_t extent = 1;      ///< Indices of the cut axis in a block.
  int64_t groups = 1;      ///< Of tiles, in a block.
  int64_t tiles = 1;       ///< Of a unit, at most.
  int64_t columnParts = 1; ///< Of the panels.
  int64_t panelsPerPart = 1;
};

WinogradBlocks divideWinograd(const WinogradShape &shape, int64_t tile, int64_t panels);

/// Outputs of a tile along one dimension, of those that there are transforms for.
inline constexpr std::array<int64_t, 2> kWinogradTiles = {2, 4};

/// What it multiplies.
inline constexpr ProductTypes kWinogradTypes = {Number::F32, Number::F32, Number::F32};

/// The products of one of a tile's numbers, for panels to be chosen by.
ContractionShape productShape(const WinogradShape &shape, int64_t tile);

/// Cycles of one core, with the best panels for each; the two are to be compared with one another alone.
double directCycles(const MachineRow &machine, const WinogradShape &shape);
double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_WINOGRADTABLES_H
