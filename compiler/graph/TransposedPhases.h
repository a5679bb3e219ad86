// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a transposed convolution along one axis into ordinary ones, and selects the cheaper way. With stride s, every
// s-th element of the result uses every s-th tap of the filter. So no element is multiplied by the zeros that the
// textbook definition inserts into the input.
//
// Element o of the result is the sum of x[i] * w[f] over all i * stride + f * dilation = o + low. A phase is the
// elements o = a + k * stride for one a. For these, f takes taps at equal distances, and i advances with k.

#ifndef NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
#define NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::graph {

struct TransposedAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1;
  int64_t low = 0; ///< Elements cropped before the result; if negative, elements added before it.
};

/// Convolution of stride 1 for one phase. Its filter has the taps `lastTap`, lastTap - tapStep, ..., in this (reverse)
/// order.
struct Phase {
  int64_t size = 0; ///< Number of elements of the result.
  int64_t taps = 0, lastTap = 0, tapStep = 1;
  int64_t dilation = 1;
  int64_t low = 0, high = 0; ///< Padding of the input; negative amounts crop it.
};

/// Returns the phases of `axis`, in the order of their first elements in the result. Phases beyond the end of the
/// result are empty.
llvm::SmallVector<Phase> phasesOf(const TransposedAxis &axis);

/// Convolution of stride 1 for all phases together. Each of its `size` positions computes `stride` elements of the
/// result. Its filter has all taps in reverse order, in `taps` groups of `stride`.
struct Columns {
  int64_t size = 0, taps = 0;
  int64_t low = 0, high = 0; ///< Padding of the input; negative amounts crop it.
  int64_t skipped = 0;       ///< Number of computed elements before the first one of the result.
};
/// Returns the joint convolution of all phases of an axis with dilation 1.
Columns columnsOf(const TransposedAxis &axis);

/// True if there are few enough phases, and each has elements and taps. A phase without taps would be a convolution
/// with an empty filter.
bool havePhases(llvm::ArrayRef<TransposedAxis> axes);

/// True if one convolution per phase is possible, and cheaper than a joint convolution whose result must be reordered.
/// `inputChannels` and `outputChannels` are the channels of one group.
bool prefersPhases(llvm::ArrayRef<TransposedAxis> axes, int64_t inputChannels, int64_t outputChannels);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
