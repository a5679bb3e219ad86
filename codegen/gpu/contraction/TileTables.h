// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tiles that compute a contraction of a given shape, for every family of GPUs.
// Why:   the tile decides the speed of a model. As plain arithmetic, the choice can be tested and tuned without a
//        compiler.
// How:   a list of variants, the best first, each with the families that use it. The last one runs on any device. The
//        properties of the families are in GpuMachines.h.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H

#include "codegen/form/ContractionShape.h"
#include "codegen/gpu/contraction/GpuMachines.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen::gpu {

/// Properties by which tiles are chosen.
struct TileRequest {
  int64_t blocks = 1; ///< Batches and groups: the number of independent contractions.
  int64_t rows = 1, columns = 1, depth = 1;
  /// Taps of the windows that a tile adds up for each element of its left operand; 0 if it loads elements.
  int64_t taps = 0;
  bool depthwise = false;                ///< True if every column has its own rows, so that nothing is shared.
  bool halves = false;                   ///< True if products may be of f16.
  bool turnsLeft = false;                ///< True if the left operand's rows are contiguous, and not its steps.
  bool mayBePlayed = true;               ///< True if a CPU may emulate the GPU (GpuOptions).
  unsigned bytes = 4;                    ///< Bytes of an accumulator.
  bool mayBePhone = false;               ///< True if the GPU may be a phone's (GpuOptions).
  std::optional<WinogradShape> winograd; ///< Shape of the convolution, if Winograd may compute it.
  /// Shape of the convolution whose filter's gradient, in each block, Winograd may compute.
  std::optional<WinogradShape> gradient;
};

/// Returns the workgroups below one another that a convolution needs with a tile of Winograd's.
int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile &tile);

/// True if a tile of kind WinogradGradient divides the channels and pixels of such a convolution evenly.
bool dividesGradient(const WinogradShape &shape, const GpuTile &tile);

/// Returns the cycles of a phone's GPU for the request by a direct tile, or one of Winograd's.
double phoneCycles(const TileRequest &request, const PhoneGpu &phone, const GpuTile &tile);

/// Returns the variants of a contraction, the best first. Families share a variant unless a separate one is worth its
/// code.
llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
