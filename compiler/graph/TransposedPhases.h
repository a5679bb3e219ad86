// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a transposed convolution along one axis into ordinary ones, and selects the cheaper way to do so. With stride
// s, every s-th element of the result uses every s-th tap of the filter. So no element is multiplied by the zeros that
// the textbook definition inserts into the input.
//
// Element o of the result is the sum of x[i] * w[f] with i * stride + f * dilation = o + low. In a phase, the elements
// o = a + k * stride, f takes taps at equal distances, and i advances with k.

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

/// Convolution of stride 1 whose filter has the taps `lastTap`, lastTap - tapStep ..., in reverse order.
struct Phase {
  int64_t size = 0; ///< Size of its result.
  int64_t taps = 0, lastTap = 0, tapStep = 1;
  int64_t dilation = 1;
  int64_t low = 0, high = 0; ///< Padding of its input; negative to crop it.
};

/// Returns the phases of `axis` by their first element of the result; phases beyond its end are empty.
llvm::SmallVector<Phase> phasesOf(const TransposedAxis &axis);

/// Convolution of stride 1 for all phases together, which computes `stride` elements of the result per step of `size`.
/// Its filter has all taps, in `taps` groups of `stride`, in reverse order.
struct Columns {
  int64_t size = 0, taps = 0;
  int64_t low = 0, high = 0; ///< Padding of its input; negative to crop it.
  int64_t skipped = 0;       ///< Number of elements before the first one of the result.
};
/// Returns the joint convolution of an axis with dilation 1.
Columns columnsOf(const TransposedAxis &axis);

/// True if there are few enough phases, and each has elements and taps. A phase without taps would be a convolution
/// with an empty filter.
bool havePhases(llvm::ArrayRef<TransposedAxis> axes);

/// True if one convolution per phase is possible and cheaper than a joint one, whose result must be reordered. Channels
/// are those of a group.
bool prefersPhases(llvm::ArrayRef<TransposedAxis> axes, int64_t inputChannels, int64_t outputChannels);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
