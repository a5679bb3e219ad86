// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean and variance along axes of a tensor, and normalization with them.

#include "compiler/import/compositions/Moments.h"

#include "compiler/import/builder/OpenWeights.h"

using namespace mlir;

namespace nacre::importer {

using nn::ReduceKind;
using nn::UnaryKind;

Moments computeMoments(NnBuilder &nn, Value x, Ints axes, bool keepDims) {
  Value kept = nn.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true);
  Value centred = nn.sub(x, kept);
  Value variance = nn.reduce(ReduceKind::Mean, nn.mul(centred, centred), axes, keepDims);
  return {kept && variance ? nn.reshape(kept, getShape(variance)) : Value(), variance};
}

Value normalizeBy(NnBuilder &nn, Value x, const Moments &moments, Value scale, Value shift, double epsilon) {
  if (!x || !moments.mean || !moments.variance)
    return {};
  if (OpenWeights *weights = nn.getWeights())
    for (Value statistic : {moments.mean, moments.variance})
      weights->setStatistic(statistic);
  Type precise = getElementType(moments.variance), elementType = getElementType(x);
  Value deviation = nn.unary(UnaryKind::Sqrt, nn.add(moments.variance, epsilon));
  Value factor = nn.div(nn.cast(scale, precise), deviation);
  Value offset = nn.sub(nn.cast(shift, precise), nn.mul(moments.mean, factor));
  return nn.add(nn.mul(x, nn.cast(factor, elementType)), nn.cast(offset, elementType));
}

} // namespace nacre::importer
