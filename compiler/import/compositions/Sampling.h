// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images read at positions that a network computes, for the handlers of every format. Channels come last; positions are
// `[rows, points..., spatial axes]`, in the order of the image's axes and counted in elements from the middle of the first.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

struct SampleRule {
  nn::Interpolation interpolation = nn::Interpolation::Linear;
  nn::SamplePadding padding = nn::SamplePadding::Border;
  bool alignCorners = false;
};

/// `nn.sample` of any type: integers between which is interpolated are computed as floats and truncated. `images` is the
/// image of each row, or null.
mlir::Value sample(NnBuilder &nn, SampleRule rule, mlir::Value image, mlir::Value positions, mlir::Value images = {});

/// The positions that a grid names, whose coordinates go from -1 to 1 over axes of `extents`, the last axis first: from the
/// outer edges of the elements at both ends, or from their middles with `alignCorners`.
mlir::Value fromNormalizedGrid(NnBuilder &nn, mlir::Value grid, Ints extents, bool alignCorners);

/// The normalized grid `[rows, extents..., spatial axes]` of affine maps `theta`, `[rows, spatial axes, spatial axes + 1]`.
mlir::Value makeAffineGrid(NnBuilder &nn, mlir::Value theta, Ints extents, bool alignCorners);

/// Parts of an image, of which each is divided into bins: a row of `boxes` is where the part of an image, which `images`
/// names, begins and ends along both axes, counted from the middle of the first element.
struct RegionRule {
  Ints bins; ///< Of rows, of columns.
  int64_t samples =
      1; ///< Of a bin, along each axis; 0: as many as elements of the image, rounded up, which a run decides.
  bool takesMaximum = false; ///< Of the samples' weighted pixels, one by one; else the mean of the samples.
};
/// `begins` and `sizes` are `[rows, 2]`. What lies more than an element outside of the image is 0.
mlir::Value poolRegions(NnBuilder &nn, mlir::Value image, mlir::Value begins, mlir::Value sizes, mlir::Value images,
                        const RegionRule &rule);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SAMPLING_H
