// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the distance of a tensor from its expected value in the usual units. The largest error shows wrong elements,
// and the relative error also shows small wrong elements. ULPs show rounding errors of a type. The signal-to-noise
// ratio describes the whole tensor. NaN and infinity are separate errors. One pass computes everything in double. Two
// NaNs agree, and so do two equal infinities.

#ifndef NACRE_TOOLS_DIFF_DIFFERENCE_H
#define NACRE_TOOLS_DIFF_DIFFERENCE_H

#include "runtime/include/nacre/runtime.h"

#include <cstddef>
#include <vector>

namespace nacre::diff {

struct Difference {
  double largest = 0;              ///< |a - b| of the worst element; infinite if only one of a and b is NaN
  double ofLargest = 0;            ///< |a - b| of the worst element, divided by the largest |b| of all elements
  double relative = 0;             ///< |a - b| / |b| of the worst element where b is not 0
  double ulps = 0;                 ///< number of representable values from b to a, for the worst element; |a - b| for
                                   ///< integers
  double signalToNoise = 0;        ///< decibels: 10 log10(sum of b^2 / sum of (a - b)^2); infinite if all elements
                                   ///< agree
  double scale = 0;                ///< largest finite |b|
  size_t worst = 0;                ///< index of the first element with the largest error
  size_t nans = 0, infinities = 0; ///< number of such elements of a where b is finite
  size_t beyondHalves = 0;         ///< number of wrong elements of a where b would be infinite or 0 in f16
};

/// Returns the distance of `actual`, the elements of a tensor of `type`, from `expected`. Both have the same number of
/// elements.
Difference measure(nacre_element_type type, const std::vector<double> &actual, const std::vector<double> &expected);

/// True if the error of the worst element is at most `bound` times the largest element.
inline bool isWithin(const Difference &difference, double bound) { return difference.ofLargest <= bound; }

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_DIFFERENCE_H
