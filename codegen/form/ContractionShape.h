// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sizes of a contraction, as plain integers.
// Why:   each engine chooses tiles by these sizes. Its tables can be tested and tuned without a compiler.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H

#include <cstdint>

namespace nacre::codegen {

/// Sizes that the choice of tiles depends on. The rows of a run have a constant stride: a run is a row of an image, or
/// all its pixels if they are contiguous.
struct ContractionShape {
  int64_t runs = 1;
  int64_t rows = 1; ///< Number of rows of a run.
  int64_t columns = 1;
  int64_t depth = 1;    ///< Number of steps of the reduction.
  int64_t rowBytes = 4; ///< Distance between rows of Lhs in bytes.
  int64_t parts = 1;    ///< Number of parts that are computed side by side, each with `columns` columns.

  bool isSingleRow() const { return runs * rows == 1; }
};

/// Sizes of a convolution of stride 1 with a square filter. `height` and `width` are those of its result.
struct WinogradShape {
  int64_t taps = 3;
  int64_t images = 1, height = 1, width = 1;
  int64_t groups = 1;
  int64_t inputs = 1, outputs = 1; ///< Number of channels of a group.
  bool cutAmongImages = false;     ///< True if the cut axis is the images, false if it is the rows of an image.
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
