// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples images at positions that a network computes, for the handlers of every format. Channels are last. Positions
// are `[rows, points..., spatial axes]`. The values are in the order of the image's axes. Their unit is one element,
// and the center of the first element is 0.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

struct SampleRule {
  nn::Interpolation interpolation = nn::Interpolation::Linear;
  nn::SamplePadding padding = nn::SamplePadding::Border;
  bool alignCorners = false;
};

/// Samples an image of any type like `nn.sample`. Interpolated integers are computed as floats and truncated. `images`
/// has the index of the image for each row, or is null.
mlir::Value sample(NnBuilder &nn, SampleRule rule, mlir::Value image, mlir::Value positions, mlir::Value images = {});

/// Converts a grid of coordinates from -1 to 1, last axis first, to positions on axes of `extents`. The range extends
/// to the outer edges of the elements at both ends, or to their centers with `alignCorners`.
mlir::Value fromNormalizedGrid(NnBuilder &nn, mlir::Value grid, Ints extents, bool alignCorners);

/// Returns the grid `[rows, extents..., spatial axes]` of the affine maps `theta`, `[rows, spatial axes, spatial axes +
/// 1]`.
mlir::Value makeAffineGrid(NnBuilder &nn, mlir::Value theta, Ints extents, bool alignCorners);

/// Division of regions of an image into bins, and the sampling of each bin.
struct RegionRule {
  Ints bins; ///< numbers of bins along rows and columns
  int64_t samples =
      1; ///< samples of a bin along each axis; 0 for the size of the bin in elements, rounded up, known only at run
         ///< time
  bool takesMaximum = false; ///< true for the maximum of the samples' weighted pixels instead of the mean of the
                             ///< samples
};
/// Pools each bin of the regions. `begins` and `sizes` of regions are `[rows, 2]`. The unit is one element, and the
/// center of the first element is 0. `images` has the index of the image for each region. Samples more than one element
/// outside the image are 0.
mlir::Value poolRegions(NnBuilder &nn, mlir::Value image, mlir::Value begins, mlir::Value sizes, mlir::Value images,
                        const RegionRule &rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
