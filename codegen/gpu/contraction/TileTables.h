// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the tiles that compute a contraction of a given shape, for every family of GPUs.
// Why:   the tile decides the speed of a model. The choice has only plain arithmetic, so that it can be tested and
//        tuned without a compiler.
// How:   the result is a list of variants, the best first, each with the families that use it. The last one runs on any
//        device. GpuMachines.h has the properties of the families.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H

#include "codegen/form/ContractionShape.h"
#include "codegen/gpu/contraction/GpuMachines.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen::gpu {

/// Properties of a contraction that the choice of tiles depends on.
struct TileRequest {
  int64_t blocks = 1; ///< Number of independent contractions: batches and groups.
  int64_t rows = 1, columns = 1, depth = 1;
  /// Number of taps of the windows that a tile adds up for each element of its left operand. 0 if it loads elements.
  int64_t taps = 0;
  bool depthwise = false; ///< True if every column has separate rows, so that columns share no operands.
  bool halves = false;    ///< True if products may have f16 operands.
  bool words = false;     ///< True if each step is a word of bytes that cooperative matrices can multiply.
  /// True if the rows of the left operand are contiguous, and its steps are not.
  bool turnsLeft = false;
  bool mayBePlayed = true;               ///< True if a CPU may emulate the GPU (GpuOptions).
  unsigned bytes = 4;                    ///< Size of an accumulator in bytes.
  bool mayBePhone = false;               ///< True if the GPU may be a phone's (GpuOptions).
  std::optional<WinogradShape> winograd; ///< Shape of the convolution, if Winograd's method may compute it.
  /// Shape of the convolution of each block, if Winograd's method may compute the gradient of its filter.
  std::optional<WinogradShape> gradient;
};

/// Returns the number of workgroups that a contraction needs with a tile of any other kind than Winograd.
int64_t countTiles(const TileRequest &request, const GpuTile &tile);

/// Returns the number of workgroups along the rows that a convolution needs with a Winograd tile.
int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile::Winograd &tile);
int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile::WinogradBlock &tile);

/// True if `tile` divides the channels and pixels of the convolution evenly.
bool dividesGradient(const WinogradShape &shape, const GpuTile::WinogradGradient &tile);

/// Returns the cycles that a phone's GPU needs for `request` with a direct tile or a Winograd tile
/// (PhoneTiles.h).
double phoneCycles(const TileRequest &request, const PhoneGpu &phone, const GpuTile &tile);

/// Returns the variants of a contraction, the best first. Families share a variant unless a separate variant saves
/// enough time.
llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
