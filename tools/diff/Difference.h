// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how far a tensor is from what it should be, in the measures that people ask for.
// Why:   each shows something else: the largest error a wrong element, the relative one a small one, ULPs the rounding of a
//        type, signal to noise the whole; and what is no number is an error of its own.
// How:   one sweep in double. Numbers that are both NaN, or the same infinity, agree.

#ifndef NACRE_TOOLS_DIFF_DIFFERENCE_H
#define NACRE_TOOLS_DIFF_DIFFERENCE_H

#include "runtime/include/nacre/runtime.h"

#include <cstddef>
#include <vector>

namespace nacre::diff {

struct Difference {
  double largest = 0;   ///< |a - b| of the worst element, infinite where a is no number and b is one, or the other way
  double ofLargest = 0; ///< the same, relative to the largest element of b
  double relative = 0;  ///< |a - b| / |b|, of the worst element where b is not 0
  double ulps = 0;      ///< numbers of the type from b to a, of the worst element; of integers |a - b|
  double signalToNoise = 0;        ///< in dB: 10 log10(sum of b^2 / sum of (a - b)^2), infinite where all agree
  double scale = 0;                ///< the largest finite |b|
  size_t worst = 0;                ///< the first element with the largest error
  size_t nans = 0, infinities = 0; ///< in a, where b is a finite number
  size_t beyondHalves = 0;         ///< wrong elements of a, where fp16 would make b infinite or 0
};

/// How far the elements `actual` of a tensor of `type` are from `expected`; as many.
Difference measure(nacre_element_type type, const std::vector<double> &actual, const std::vector<double> &expected);

/// Whether the worst element is off by no more than `bound` of the largest.
inline bool isWithin(const Difference &difference, double bound) { return difference.ofLargest <= bound; }

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_DIFFERENCE_H
