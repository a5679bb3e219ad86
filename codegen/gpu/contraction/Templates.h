// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The templates of tiles. Each template implements a kind of GpuTile, which its file describes. It fills the body for a
// tile that has work. The grid must be divided before.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_TEMPLATES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_TEMPLATES_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

void emitDirectTile(ContractionGrid &grid, const GpuTile::Direct &tile);           ///< DirectTile.cpp
void emitSharedTile(ContractionGrid &grid, const GpuTile::Shared &tile);           ///< SharedTile.cpp
void emitSplitTile(ContractionGrid &grid, const GpuTile::Split &tile);             ///< SplitTile.cpp
void emitCooperativeTile(ContractionGrid &grid, const GpuTile::Cooperative &tile); ///< CooperativeTile.cpp
void emitWinogradTile(ContractionGrid &grid, const GpuTile::Winograd &tile,
                      const WinogradConvolution &convolution); ///< WinogradTile.cpp
void emitWinogradBlock(ContractionGrid &grid, const GpuTile::WinogradBlock &tile,
                       const WinogradConvolution &convolution); ///< WinogradBlock.cpp
void emitWinogradGradientBlock(ContractionGrid &grid, const GpuTile::WinogradGradient &tile,
                               const WinogradGradient &gradient); ///< WinogradGradientBlock.cpp

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_TEMPLATES_H
