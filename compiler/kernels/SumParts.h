// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of parts into which a long sum is divided to keep a large GPU busy. Results must not depend on the
// device or on a cut, so only shapes decide. The functions use no IR, so that unit tests can call them directly.
//
// The number of parts grows until there are enough workgroups. A part must not be so short that its workgroup mostly
// waits for its first loads.

#ifndef NACRE_COMPILER_KERNELS_SUMPARTS_H
#define NACRE_COMPILER_KERNELS_SUMPARTS_H

#include <cstdint>

namespace nacre::kernels {

/// Number of equal parts of the images, and of the rows of each image.
struct SumParts {
  int64_t images = 1, rows = 1;

  int64_t count() const { return images * rows; }
};

/// Gradient of a filter as a product: `taps` rows (window positions times channels), `columns` columns, and a depth of
/// `images` x `rows` x `pixels`.
struct FilterGradientShape {
  int64_t taps = 1, columns = 1;
  int64_t images = 1, rows = 1, pixels = 1;
};

SumParts choosePartsOf(const FilterGradientShape &shape);

/// Returns the number of equal parts into which the depth of a matrix product is divided.
int64_t choosePartsOfProduct(int64_t rows, int64_t columns, int64_t depth);

/// True if a sum of `elements` elements for each of `results` results is computed per image first.
bool isSummedByImages(int64_t results, int64_t images, int64_t elements);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_SUMPARTS_H
