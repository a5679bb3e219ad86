// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which tiles compute a contraction of a given shape, for every family of GPUs.
// Why:   the tile decides the speed of a model; as plain arithmetic it can be tested and tuned alone.
// How:   a list of variants, the best first, each with the families it is for; the last one runs on any device. What is
//        known of the families is in GpuMachines.h.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H

#include "codegen/form/ContractionShape.h"
#include "codegen/gpu/contraction/GpuMachines.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen::gpu {

/// What a choice of tiles depends on.
struct TileRequest {
  int64_t blocks = 1; ///< Batches and groups: as many contractions side by side.
  int64_t rows = 1, columns = 1, depth = 1;
  int64_t taps = 0;        ///< Of windows that every tile adds up for an element of its left operand; 0: it reads one.
  bool depthwise = false;  ///< Every column has rows of its own: nothing to share.
  bool halves = false;     ///< Products may be of f16.
  bool turnsLeft = false;  ///< The left operand's rows lie one after another, not its steps.
  bool mayBePlayed = true; ///< As in GpuOptions.
  unsigned bytes = 4;      ///< Of an accumulator.
  bool mayBePhone = false; ///< As in GpuOptions.
  std::optional<WinogradShape> winograd; ///< Of a convolution that may be computed so.
  std::optional<WinogradShape> gradient; ///< Of the convolution whose filter's gradient may be, in each block.
};

/// Workgroups below one another that a convolution takes by a tile of Winograd's.
int64_t countWinogradTiles(const WinogradShape &shape, const GpuTile &tile);

/// Whether a tile of the gradient's kind divides the channels and pixels of such a convolution evenly.
bool dividesGradient(const WinogradShape &shape, const GpuTile &tile);

/// Cycles that a phone's GPU takes for the request by a direct tile, or one of Winograd's.
double phoneCycles(const TileRequest &request, const PhoneGpu &phone, const GpuTile &tile);

/// The variants of a contraction, the best first. Families share a variant unless one of their own is worth its code.
llvm::SmallVector<GpuTile, 4> chooseGpuTiles(const TileRequest &request);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TILETABLES_H
