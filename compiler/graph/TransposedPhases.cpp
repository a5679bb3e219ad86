// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/TransposedPhases.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace nacre::graph {

/// Largest number of phases. More launches would take longer than they save.
static constexpr int64_t mostPhases = 16;

static Phase phaseOf(const TransposedAxis &axis, int64_t first) {
  Phase phase;
  phase.size = axis.output > first ? llvm::divideCeil(axis.output - first, axis.stride) : 0;
  const int64_t common = std::gcd(axis.dilation, axis.stride), target = first + axis.low;
  phase.tapStep = axis.stride / common;
  phase.dilation = axis.dilation / common;
  // Find the first tap that meets an element of the input. If the dilation skips this phase, there is no such tap.
  int64_t tap = 0;
  while (tap < std::min(phase.tapStep, axis.kernel) && (target - tap * axis.dilation) % axis.stride != 0)
    ++tap;
  if (tap == std::min(phase.tapStep, axis.kernel))
    return phase;
  phase.taps = (axis.kernel - 1 - tap) / phase.tapStep + 1;
  phase.lastTap = tap + (phase.taps - 1) * phase.tapStep;
  const int64_t reach = (phase.taps - 1) * phase.dilation;
  phase.low = reach - (target - tap * axis.dilation) / axis.stride;
  phase.high = phase.size + reach - axis.input - phase.low;
  return phase;
}

llvm::SmallVector<Phase> phasesOf(const TransposedAxis &axis) {
  llvm::SmallVector<Phase> phases;
  for (int64_t first = 0; first < axis.stride; ++first)
    phases.push_back(phaseOf(axis, first));
  return phases;
}

Columns columnsOf(const TransposedAxis &axis) {
  Columns columns;
  columns.taps = llvm::divideCeil(axis.kernel, axis.stride);
  // The joint convolution computes whole groups of `stride` elements. The first group may begin before the result.
  const int64_t begin = llvm::divideFloorSigned(axis.low, axis.stride);
  columns.size = llvm::divideFloorSigned(axis.low + axis.output - 1, axis.stride) - begin + 1;
  columns.skipped = axis.low - begin * axis.stride;
  columns.low = columns.taps - 1 - begin;
  columns.high = columns.size + columns.taps - 1 - axis.input - columns.low;
  return columns;
}

bool havePhases(llvm::ArrayRef<TransposedAxis> axes) {
  int64_t phases = 1;
  for (const TransposedAxis &axis : axes) {
    if (axis.stride > mostPhases / phases)
      return false;
    phases *= axis.stride;
    for (const Phase &phase : phasesOf(axis))
      if (phase.size == 0 || phase.taps == 0)
        return false;
  }
  return true;
}

bool prefersPhases(llvm::ArrayRef<TransposedAxis> axes, int64_t inputChannels, int64_t outputChannels) {
  if (!havePhases(axes))
    return false;
  int64_t phases = 1, taps = 1, windows = 1;
  for (const TransposedAxis &axis : axes) {
    phases *= axis.stride;
    taps *= axis.kernel;
    windows *= llvm::divideCeil((axis.kernel - 1) * axis.dilation + 1, axis.stride);
  }
  // Depthwise filters fill registers without a joint convolution, and a single phase needs no reordering.
  if (phases == 1 || (inputChannels == 1 && outputChannels == 1))
    return true;
  // Compare products per element of all phases, in whole registers. Reordering adds a cost per column.
  constexpr int64_t lanes = 8, order = 8;
  const double byPhases = double(inputChannels) * taps * llvm::alignTo(outputChannels, lanes);
  const double byColumns = double(inputChannels) * windows * llvm::alignTo(phases * outputChannels, lanes) +
                           double(order) * phases * outputChannels;
  return byPhases <= byColumns;
}

} // namespace nacre::graph
