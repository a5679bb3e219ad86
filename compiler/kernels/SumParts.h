// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number of parts into which a long sum is divided, so that it keeps a large GPU busy. Results must not depend on the
// device or on a cut, so only shapes decide. The functions use no IR, so that unit tests can call them directly.
//
// The number grows until there are enough workgroups. No part is so short that its workgroup mostly waits for its first
// loads.

#ifndef NACRE_COMPILER_KERNELS_SUMPARTS_H
#define NACRE_COMPILER_KERNELS_SUMPARTS_H

#include <cstdint>

namespace nacre::kernels {

/// Equal parts: divisions of the images, and of the rows of each image.
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

/// Returns the number of equal parts of the depth of a matrix product.
int64_t choosePartsOfProduct(int64_t rows, int64_t columns, int64_t depth);

/// True if a sum of `elements` elements for each of `results` results is added up image by image first.
bool isSummedByImages(int64_t results, int64_t images, int64_t elements);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_SUMPARTS_H
