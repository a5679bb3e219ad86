// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the size of a contraction, as plain numbers.
// Why:   each engine chooses tiles by these numbers. Its tables can be tested and tuned without a compiler.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H

#include <cstdint>

namespace nacre::codegen {

/// Sizes by which tiles are chosen. A run is the rows that one base address and one stride reach: a row of an image, or
/// all its pixels if they are contiguous.
struct ContractionShape {
  int64_t runs = 1;
  int64_t rows = 1; ///< Rows of a run.
  int64_t columns = 1;
  int64_t depth = 1;    ///< Steps of the reduction.
  int64_t rowBytes = 4; ///< Bytes from one row of Lhs to the next.
  int64_t parts = 1;    ///< Parts that are computed side by side, each with `columns` columns.

  bool isSingleRow() const { return runs * rows == 1; }
};

/// Sizes of a convolution of stride 1 with a square filter, by its result.
struct WinogradShape {
  int64_t taps = 3;
  int64_t images = 1, height = 1, width = 1;
  int64_t groups = 1;
  int64_t inputs = 1, outputs = 1; ///< Channels of a group.
  bool cutAmongImages = false;     ///< True if the cut axis walks images, false if rows.
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
