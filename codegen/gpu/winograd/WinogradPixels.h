// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the addresses of the tiles of pixels that a Winograd convolution computes, and of the inputs of these tiles.
// Why:   all templates divide an image in the same way, although they divide the transforms of a tile differently.
// How:   tiles cover the whole image for any share. The last pixels replace pixels beyond the image, which are not
//        written.

#ifndef NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H
#define NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H

#include "codegen/form/WinogradForm.h"
#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

class WinogradPixels {
public:
  /// `tiles` is the number of tiles in a workgroup. All arguments must outlive this object.
  WinogradPixels(ContractionGrid &grid, const WinogradConvolution &convolution, int64_t tiles);

  struct Origin {
    mlir::Value y, x; ///< First pixel of a tile.
    mlir::Value row;  ///< Index of the same pixel as a row of the contraction.
    /// False if the tile is beyond the end, so that the last tile replaces it. Null if the tile certainly exists.
    mlir::Value exists;
  };
  /// Returns the origin of the workgroup's tile with index `number`.
  Origin originOf(mlir::Value number);
  /// True if the workgroup may write at least one pixel.
  mlir::Value writesAny();

  /// Returns the address of the first channel of an input pixel. The pixel is `down` rows and `across` columns after
  /// the first one that the tile reads.
  mlir::Value addressOf(const Origin &origin, mlir::Value down, mlir::Value across);
  /// Loads four channels of the pixel at `address`. Channels beyond the last one are zero.
  mlir::Value loadChannels(mlir::Value address, mlir::Value channel);

  /// Finishes `sum`, the pixel `down` rows and `across` columns after the first one of a tile, in the columns of
  /// `quad`. A no-op for a pixel that does not exist, or that the workgroup does not write.
  void finish(mlir::Value sum, const Origin &origin, mlir::Value down, mlir::Value across, mlir::Value quad);

private:
  mlir::Value isInside(const ContractionLoop &loop, mlir::Value first, mlir::Value further);
  mlir::Value stepsOf(const ContractionLoop &loop, mlir::Value first, mlir::Value further);

  ContractionGrid &grid;
  IndexBuilder &build;
  const WinogradConvolution &convolution;
  const WinogradPlan plan;
  const int64_t tiles; ///< Number of tiles in a workgroup.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H
