// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a transposed convolution as ordinary ones, along one axis, and which way of that is cheaper.
// Why:   every so manyth element of the result reads a filter of its own, every so manyth tap of the whole, so that
//        nothing is multiplied by the zeros that stand between the input's elements in the textbook.
// How:   element o of the result is the sum of x[i] * w[f] with i * stride + f * dilation = o + low. For the elements
//        o = a + k * stride, a phase, f is one of every so many taps, and i walks as k does.

#ifndef NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
#define NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::graph {

struct TransposedAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1;
  int64_t low = 0; ///< What is cut off before the result; below zero: what stands before all that is reached.
};

/// A convolution of stride 1, whose filter is taps `lastTap`, lastTap - tapStep ...: the last one comes first.
struct Phase {
  int64_t size = 0; ///< Of its result.
  int64_t taps = 0, lastTap = 0, tapStep = 1;
  int64_t dilation = 1;
  int64_t low = 0, high = 0; ///< What to pad its input by; below zero: what to cut off.
};

/// The phases of `axis`, by their first element of the result; those beyond its end are empty.
llvm::SmallVector<Phase> phasesOf(const TransposedAxis &axis);

/// All phases as one convolution of stride 1, which gives `stride` elements of the result for each step of `size`: its
/// filter is all taps, in `taps` groups of `stride`, the last group first.
struct Columns {
  int64_t size = 0, taps = 0;
  int64_t low = 0, high = 0; ///< What to pad its input by; below zero: what to cut off.
  int64_t skipped = 0;       ///< The elements before the result's first one.
};
/// Of an axis whose dilation is 1.
Columns columnsOf(const TransposedAxis &axis);

/// Whether one convolution by phase is possible, and cheaper than one for all of them, whose result must be put in order.
/// `channels` are those of a group.
bool prefersPhases(llvm::ArrayRef<TransposedAxis> axes, int64_t inputChannels, int64_t outputChannels);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_TRANSPOSEDPHASES_H
