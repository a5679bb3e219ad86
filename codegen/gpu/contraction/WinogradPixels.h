// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the tiles of pixels lie that a Winograd convolution computes, and what they read.
// Why:   the templates divide an image in the same way, whoever transforms which part of a tile.
// How:   tiles are those of the whole image, whatever the share. Pixels beyond the image are its last ones, and are not written.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_WINOGRADPIXELS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_WINOGRADPIXELS_H

#include "codegen/gpu/contraction/ContractionGrid.h"

namespace nacre::codegen::gpu {

class WinogradPixels {
public:
  /// A workgroup has `tiles` tiles of `outputs` x `outputs` pixels. All arguments must outlive this.
  WinogradPixels(ContractionGrid &grid, const WinogradConvolution &convolution, int64_t outputs, int64_t tiles);

  struct Origin {
    mlir::Value y, x;   ///< The first pixel of a tile.
    mlir::Value row;    ///< The same as one of the contraction's rows.
    mlir::Value exists; ///< Null where it does for certain; else the last one is in its place.
  };
  /// Returns the origin of tile `number` of the workgroup.
  Origin originOf(mlir::Value number);
  /// Whether the workgroup may write some pixel.
  mlir::Value writesAny();

  /// The address of the first channel of the pixel that is `down` and `across` from the first one that a tile reads.
  mlir::Value addressOf(const Origin &origin, mlir::Value down, mlir::Value across);
  /// Four channels of the pixel at an address, zero for those beyond the last one.
  mlir::Value loadChannels(mlir::Value address, mlir::Value channel);

  /// Finishes `sum`, the pixel of a tile that is `down` and `across` from its first one in the columns of `quad`, if there is such a
  /// pixel and the workgroup writes it.
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

#endif // NACRE_CODEGEN_GPU_CONTRACTION_WINOGRADPIXELS_H
