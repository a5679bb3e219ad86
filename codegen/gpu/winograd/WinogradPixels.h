// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the addresses of the tiles of pixels that a Winograd convolution computes, and of their inputs.
// Why:   all templates divide an image in the same way, however they divide the transforms of a tile.
// How:   tiles cover the whole image for any share. Pixels beyond the image repeat the last ones, and are not written.

#ifndef NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H
#define NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

class WinogradPixels {
public:
  /// `tiles` is the number of tiles of `outputs` x `outputs` pixels in a workgroup. All arguments must outlive this
  /// object.
  WinogradPixels(ContractionGrid &grid, const WinogradConvolution &convolution, int64_t outputs, int64_t tiles);

  struct Origin {
    mlir::Value y, x; ///< First pixel of a tile.
    mlir::Value row;  ///< The same as a row of the contraction.
    /// False if the last tile replaces this one, which is beyond the end; null if it certainly exists.
    mlir::Value exists;
  };
  /// Returns the origin of tile `number` of the workgroup.
  Origin originOf(mlir::Value number);
  /// True if the workgroup may write some pixel.
  mlir::Value writesAny();

  /// Returns the address of the first channel of the pixel `down` and `across` from the first one that a tile reads.
  mlir::Value addressOf(const Origin &origin, mlir::Value down, mlir::Value across);
  /// Loads four channels of the pixel at an address; zero for those beyond the last one.
  mlir::Value loadChannels(mlir::Value address, mlir::Value channel);

  /// Finishes `sum`, the pixel `down` and `across` from the first one of a tile, in the columns of `quad`. A no-op for
  /// a pixel that does not exist, or that the workgroup does not write.
  void finish(mlir::Value sum, const Origin &origin, mlir::Value down, mlir::Value across, mlir::Value quad);

private:
  mlir::Value isInside(const ContractionLoop &loop, mlir::Value first, mlir::Value further);
  mlir::Value stepsOf(const ContractionLoop &loop, mlir::Value first, mlir::Value further);

  ContractionGrid &grid;
  IndexBuilder &build;
  const WinogradConvolution &convolution;
  const int64_t outputs, tiles, inputs; ///< Pixels of a tile that are written, and read, along one dimension.
  const int64_t across, down;           ///< Tiles of an image.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADPIXELS_H
