// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the distance of a tensor from its expected value in the usual units. Each shows something else: the largest
// error shows a wrong element, the relative error a small one. ULPs show the rounding of a type; the signal-to-noise
// ratio shows the whole tensor. NaN and infinity are separate errors. One pass computes everything in double. Two NaNs
// agree, and so do two equal infinities.

#ifndef NACRE_TOOLS_DIFF_DIFFERENCE_H
#define NACRE_TOOLS_DIFF_DIFFERENCE_H

#include "runtime/include/nacre/runtime.h"

#include <cstddef>
#include <vector>

namespace nacre::diff {

struct Difference {
  double largest = 0;              ///< |a - b| of the worst element; infinite if only one of a and b is NaN
  double ofLargest = 0;            ///< the same, relative to the largest element of b
  double relative = 0;             ///< |a - b| / |b| of the worst element where b is not 0
  double ulps = 0;                 ///< representable numbers from b to a, of the worst element; |a - b| of integers
  double signalToNoise = 0;        ///< decibels: 10 log10(sum of b^2 / sum of (a - b)^2); infinite if all elements
                                   ///< agree
  double scale = 0;                ///< largest finite |b|
  size_t worst = 0;                ///< first element with the largest error
  size_t nans = 0, infinities = 0; ///< elements of a where b is finite
  size_t beyondHalves = 0;         ///< wrong elements of a where f16 would make b infinite or 0
};

/// Returns the distance of the elements `actual` of a tensor of `type` from as many elements `expected`.
Difference measure(nacre_element_type type, const std::vector<double> &actual, const std::vector<double> &expected);

/// True if the error of the worst element is at most `bound` times the largest element.
inline bool isWithin(const Difference &difference, double bound) { return difference.ofLargest <= bound; }

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_DIFFERENCE_H
