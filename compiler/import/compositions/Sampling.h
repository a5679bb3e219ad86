// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images sampled at positions that a network computes, for the handlers of every format. Channels come last. Positions
// are `[rows, points..., spatial axes]`, in the order of the image's axes, counted in elements from the center of the
// first.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

struct SampleRule {
  nn::Interpolation interpolation = nn::Interpolation::Linear;
  nn::SamplePadding padding = nn::SamplePadding::Border;
  bool alignCorners = false;
};

/// Samples an image of any type as `nn.sample` does. Interpolated integers are computed as floats and truncated.
/// `images` is the image of each row, or null.
mlir::Value sample(NnBuilder &nn, SampleRule rule, mlir::Value image, mlir::Value positions, mlir::Value images = {});

/// Returns the positions of a grid with coordinates from -1 to 1 over axes of `extents`, last axis first. The range
/// spans the outer edges of the elements at both ends, or their centers with `alignCorners`.
mlir::Value fromNormalizedGrid(NnBuilder &nn, mlir::Value grid, Ints extents, bool alignCorners);

/// Returns the grid `[rows, extents..., spatial axes]` of affine maps `theta`,
/// `[rows, spatial axes, spatial axes + 1]`.
mlir::Value makeAffineGrid(NnBuilder &nn, mlir::Value theta, Ints extents, bool alignCorners);

/// Division of regions of an image into bins, and the sampling of each bin.
struct RegionRule {
  Ints bins; ///< bins of rows and of columns
  int64_t samples =
      1; ///< samples of a bin along each axis; 0: a bin's size in elements, rounded up, known only at run time
  bool takesMaximum = false; ///< maximum of the samples' weighted pixels instead of the mean of the samples
};
/// Pools each bin of the regions. `begins` and `sizes` of regions are `[rows, 2]`, counted in elements from the center
/// of the first; `images` is the image of each region. Samples more than one element outside of the image are 0.
mlir::Value poolRegions(NnBuilder &nn, mlir::Value image, mlir::Value begins, mlir::Value sizes, mlir::Value images,
                        const RegionRule &rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
