// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Splits a transposed convolution along one axis into ordinary ones, and selects the cheaper way to do so.
// Why:   With stride s, every s-th element of the result uses every s-th tap of the filter, so nothing is multiplied by
//        the zeros between the input's elements in the textbook definition.
// How:   Element o of the result is the sum of x[i] * w[f] with i * stride + f * dilation = o + low. In a phase, the
//        elements o = a + k * stride, f takes taps at equal distances, and i advances with k.

#ifndef NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
#define NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::graph {

struct TransposedAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1;
  int64_t low = 0; ///< Elements cropped before the result; if negative, elements before the covered region.
};

/// A convolution of stride 1 whose filter has the taps `lastTap`, lastTap - tapStep ..., in reverse order.
struct Phase {
  int64_t size = 0; ///< The size of its result.
  int64_t taps = 0, lastTap = 0, tapStep = 1;
  int64_t dilation = 1;
  int64_t low = 0, high = 0; ///< What to pad its input by; below zero: what to cut off.
};

/// Returns the phases of `axis` by their first element of the result; phases beyond its end are empty.
llvm::SmallVector<Phase> phasesOf(const TransposedAxis &axis);

/// All phases as one convolution of stride 1, which computes `stride` elements of the result per step of `size`. Its
/// filter has all taps, in `taps` groups of `stride`, in reverse order.
struct Columns {
  int64_t size = 0, taps = 0;
  int64_t low = 0, high = 0; ///< What to pad its input by; below zero: what to cut off.
  int64_t skipped = 0;       ///< The number of elements before the result's first one.
};
/// Returns the joint convolution of an axis with dilation 1.
Columns columnsOf(const TransposedAxis &axis);

/// Whether there are few enough phases, and each has elements and taps: one without would be a convolution by nothing.
bool havePhases(llvm::ArrayRef<TransposedAxis> axes);

/// Returns whether one convolution per phase is possible and cheaper than a joint one, whose result must be reordered.
/// `channels` is the number per group.
bool prefersPhases(llvm::ArrayRef<TransposedAxis> axes, int64_t inputChannels, int64_t outputChannels);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
