// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  into how many parts a long sum is divided, so that it keeps a large GPU busy.
// Why:   results must not depend on the device or on a cut, so only shapes decide; as plain arithmetic it can be tested alone.
// How:   more parts until there are enough workgroups, but none so short that its workgroup mostly waits for the first loads.

#ifndef NACRE_COMPILER_KERNELS_SUMPARTS_H
#define NACRE_COMPILER_KERNELS_SUMPARTS_H

#include <cstdint>

namespace nacre::kernels {

/// Equal parts: so many of the images, and each of those in so many of the rows.
struct SumParts {
  int64_t images = 1, rows = 1;

  int64_t count() const { return images * rows; }
};

/// The gradient of a filter, as a product: `taps` rows (of the filter's window, for each channel) by `columns`, and a depth of
/// `images` x `rows` x `pixels`.
struct FilterGradientShape {
  int64_t taps = 1, columns = 1;
  int64_t images = 1, rows = 1, pixels = 1;
};

SumParts choosePartsOf(const FilterGradientShape &shape);

/// Into how many equal parts the depth of a product of matrices is divided.
int64_t choosePartsOfProduct(int64_t rows, int64_t columns, int64_t depth);

/// Whether a sum of so many elements for each of `results` is added up image by image first.
bool isSummedByImages(int64_t results, int64_t images, int64_t elements);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_SUMPARTS_H
