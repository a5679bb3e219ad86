// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses for training that exported models contain.
//
// The element of the target class is selected by a sum over the classes in which all other terms are zero. One kernel
// computes this on any engine, and no target can cause a read out of bounds.

#include "compiler/import/compositions/Losses.h"
#include "dialects/nn/Labels.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

Value negativeLogLikelihood(NnBuilder &nn, Value logarithms, Value targets, const LikelihoodLoss &loss) {
  if (!logarithms || !targets)
    return {};
  int64_t rank = getRank(logarithms), classes = getShape(logarithms)[1];
  nn::noteLabels(targets, classes, loss.ignoredClass);
  SmallVector<int64_t> shape(getShape(targets));
  shape.insert(shape.begin() + 1, 1);
  Value names = nn.alignToAxis(nn.cast(nn.counting(classes), getElementType(targets)), 1, rank);
  Value isTarget = nn.binary(BinaryKind::Equal, nn.reshape(targets, shape), names);
  auto pick = [&](Value table) {
    return nn.reduce(ReduceKind::Sum, nn.select(isTarget, table, nn.scalar(table, 0)), 1, /*keepDims=*/false);
  };
  Value costs = nn.unary(UnaryKind::Neg, pick(logarithms));
  Value weights = loss.weights ? pick(nn.alignToAxis(loss.weights, 1, rank)) : Value();
  if (weights)
    costs = nn.mul(costs, weights);
  if (loss.ignoredClass) {
    Value ignored = nn.integers(*loss.ignoredClass);
    Value isIgnored = nn.binary(BinaryKind::Equal, nn.cast(targets, nn.types().getI64Type()), nn.reshape(ignored, {}));
    costs = nn.select(isIgnored, nn.scalar(logarithms, 0), costs);
    weights = nn.select(isIgnored, nn.scalar(logarithms, 0), weights ? weights : nn.scalar(logarithms, 1));
  }
  SmallVector<int64_t> axes = axisRange(0, rank - 1);
  switch (loss.reduction) {
  case LossReduction::None:
    return costs;
  case LossReduction::Sum:
    return nn.reduce(ReduceKind::Sum, costs, axes, /*keepDims=*/false);
  case LossReduction::Mean:
    if (!weights)
      return nn.reduce(ReduceKind::Mean, costs, axes, /*keepDims=*/false);
    return nn.div(nn.reduce(ReduceKind::Sum, costs, axes, /*keepDims=*/false),
                  nn.reduce(ReduceKind::Sum, nn.broadcast(weights, getShape(targets)), axes, /*keepDims=*/false));
  }
  llvm_unreachable("all reductions are above");
}

} // namespace nacre::importer
