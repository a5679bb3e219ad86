// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration axes of operators that add up products.

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/axes/ListAxes.h"

using namespace mlir;

namespace nacre::nn {

Axes MatMulOp::getIterationAxes() {
  const int64_t rank = getType().getRank(), left = getLhs().getType().getRank(), right = getRhs().getType().getRank();
  AxisList list(*this);
  for (int64_t axis = 0; axis < rank - 2; ++axis)
    list.addAligned(AxisKind::Parallel, axis);
  list.addParallel({{0, left - 2}}, {{0, rank - 2}});
  list.addParallel({{1, right - 1}}, {{0, rank - 1}});
  list.add(AxisKind::Reduced, {{0, left - 1}, {1, right - 2}}, {});
  return list.take();
}

/// The positions of queries and keys matter if they decide which keys a query sees.
Axes AttentionOp::getIterationAxes() {
  const int64_t rank = getType().getRank();
  const unsigned queries = 0, keys = 1, values = 2;
  AxisList list(*this);
  for (int64_t axis = 0; axis < rank - 2; ++axis)
    list.addAligned(AxisKind::Parallel, axis);
  SmallVector<AxisList::Place> rows = {{queries, rankOf(getQueries()) - 2}};
  SmallVector<AxisList::Place> scores = {{keys, rankOf(getKeys()) - 1}, {values, rankOf(getValues()) - 2}};
  for (unsigned index = values + 1; index < getNumOperands(); ++index) {
    const int64_t own = rankOf(getOperand(index));
    // Masks, sinks and offsets broadcast to the scores, whose last axis is that of the keys.
    if (own >= 2)
      rows.push_back({index, own - 2});
    if (own >= 1)
      scores.push_back({index, own - 1});
  }
  list.addBroadcast(isBounded() ? AxisKind::Windowed : AxisKind::Parallel, rows, {{0, rank - 2}});
  list.addBroadcast(isBounded() ? AxisKind::Windowed : AxisKind::Reduced, scores, {});
  list.add(AxisKind::Reduced, {{queries, rankOf(getQueries()) - 1}, {keys, rankOf(getKeys()) - 2}}, {});
  list.addParallel({{values, rankOf(getValues()) - 1}}, {{0, rank - 1}});
  return list.take();
}

/// Returns the axes of a convolution or its transpose. The channels of several groups are windows: a channel of the
/// result depends on the input's channels of its group only.
static Axes axesOfConvolution(Operation *op, int64_t groups) {
  const int64_t last = rankOf(op->getResult(0)) - 1;
  const unsigned input = 0, filter = 1;
  AxisList list(op);
  list.addParallel({{input, 0}}, {{0, 0}});
  for (int64_t axis = 1; axis < last; ++axis)
    list.add(AxisKind::Windowed, {{input, axis}, {filter, axis - 1}}, {{0, axis}});
  if (groups == 1) {
    list.add(AxisKind::Reduced, {{input, last}, {filter, last - 1}}, {});
    list.addParallel({{filter, last}}, {{0, last}});
    return list.take();
  }
  const ArrayRef<int64_t> filterShape = shapeOf(op->getOperand(filter));
  // One channel of the input and the result for each group: depthwise.
  const bool isDepthwise = filterShape[last - 1] == 1 && filterShape[last] == groups;
  list.add(isDepthwise ? AxisKind::Parallel : AxisKind::Windowed, {{input, last}, {filter, last}}, {{0, last}});
  list.add(AxisKind::Windowed, {{filter, last - 1}}, {});
  return list.take();
}

Axes ConvOp::getIterationAxes() { return axesOfConvolution(*this, getGroups()); }

Axes ConvTransposeOp::getIterationAxes() { return axesOfConvolution(*this, getGroups()); }

Axes FilterGradientOp::getIterationAxes() {
  const int64_t last = rankOf(getInput()) - 1, rank = getType().getRank();
  // Groups of images and of rows come first in the result.
  const int64_t parts = getParts() ? 2 : 0;
  AxisList list(*this);
  if (parts == 0)
    list.add(AxisKind::Reduced, {{0, 0}, {1, 0}}, {});
  else
    list.add(AxisKind::Windowed, {{0, 0}, {1, 0}}, {{0, 0}});
  for (int64_t axis = 1; axis < last; ++axis)
    list.add(AxisKind::Windowed, {{0, axis}, {1, axis}}, {{0, parts + axis - 1}});
  if (parts > 0)
    list.add(AxisKind::Windowed, {}, {{0, 1}});
  list.addParallel({{0, last}}, {{0, rank - 2}});
  list.addParallel({{1, last}}, {{0, rank - 1}});
  return list.take();
}

/// Sequences are independent. Steps are not, and each state depends on the whole state of the step before.
Axes RecurrentOp::getIterationAxes() {
  const unsigned allH = 0, lastH = 1, lastC = 2;
  SmallVector<AxisList::Place> sequences = {{0, 1}}, states = {{2, 0}}, gates = {{1, 1}, {2, 1}};
  AxisList list(*this);
  if (getBias()) {
    const unsigned bias = getODSOperandIndexAndLength(3).first;
    gates.push_back({bias, 1});
    list.add(AxisKind::Windowed, {{bias, 0}}, {});
  }
  if (getLengths())
    sequences.push_back({getODSOperandIndexAndLength(4).first, 0});
  for (unsigned initial : {5U, 6U})
    if (const auto [index, length] = getODSOperandIndexAndLength(initial); length > 0) {
      sequences.push_back({index, 0});
      states.push_back({index, 1});
    }
  if (getPeepholes()) {
    const unsigned peepholes = getODSOperandIndexAndLength(7).first;
    states.push_back({peepholes, 1});
    list.add(AxisKind::Windowed, {{peepholes, 0}}, {});
  }
  list.addParallel(sequences, {{allH, 1}, {lastH, 0}, {lastC, 0}});
  list.add(AxisKind::Windowed, {{0, 0}}, {{allH, 0}});
  list.add(AxisKind::Reduced, {{0, 2}, {1, 0}}, {});
  list.add(AxisKind::Windowed, states, {{allH, 2}, {lastH, 1}, {lastC, 1}});
  list.add(AxisKind::Windowed, gates, {});
  return list.take();
}

} // namespace nacre::nn
