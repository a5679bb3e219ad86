// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the size of a contraction, as plain numbers.
// Why:   tables of tiles are chosen by it, for each engine; as plain arithmetic they can be tested and tuned alone.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H

#include <cstdint>

namespace nacre::codegen {

/// What a choice of tiles depends on. A run is the rows that one base address and one stride reach: a row of an image,
/// or all its pixels where they lie one after another.
struct ContractionShape {
  int64_t runs = 1;
  int64_t rows = 1; ///< Of a run.
  int64_t columns = 1;
  int64_t depth = 1;    ///< Steps of the reduction.
  int64_t rowBytes = 4; ///< From one row of Lhs to the next.
  int64_t parts = 1;    ///< That are computed side by side, each of so many columns.

  bool isSingleRow() const { return runs * rows == 1; }
};

/// A convolution of stride 1 and of as many taps along both dimensions, by its result.
struct WinogradShape {
  int64_t taps = 3;
  int64_t images = 1, height = 1, width = 1;
  int64_t groups = 1;
  int64_t inputs = 1, outputs = 1; ///< Channels of a group.
  bool cutAmongImages = false;     ///< Else among rows.
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONSHAPE_H
