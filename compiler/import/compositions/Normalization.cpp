// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations. They compute in at least 32 bits, because squares of f16 values overflow easily.

#include "compiler/import/compositions/Normalization.h"

using namespace mlir;

namespace nacre::importer {

using nn::ReduceKind;
using nn::UnaryKind;

/// Returns `x` with at least 32 bits.
static Value widen(NnBuilder &nn, Value x) {
  return getElementType(x).getIntOrFloatBitWidth() < 32 ? nn.cast(x, nn.types().getF32Type()) : x;
}

/// Returns 1 / sqrt(mean(x * x) + epsilon).
static Value invertRms(NnBuilder &nn, Value x, Ints axes, double epsilon) {
  Value square = nn.reduce(ReduceKind::Mean, nn.mul(x, x), axes, /*keepDims=*/true);
  return nn.unary(UnaryKind::Reciprocal, nn.unary(UnaryKind::Sqrt, nn.add(square, epsilon)));
}

Normalized normalizeLayer(NnBuilder &nn, Value x, Ints axes, double epsilon) {
  if (!x)
    return {};
  Value wide = widen(nn, x);
  Value mean = nn.reduce(ReduceKind::Mean, wide, axes, /*keepDims=*/true);
  return {nn.normalize(x, axes, epsilon), mean, invertRms(nn, nn.sub(wide, mean), axes, epsilon)};
}

Value normalizeGroups(NnBuilder &nn, Value x, int64_t groups, double epsilon) {
  if (!x)
    return {};
  SmallVector<int64_t> grouped(getShape(x));
  grouped.insert(grouped.begin() + 2, grouped[1] / groups);
  grouped[1] = groups;
  return nn.normalize(nn.reshape(x, grouped), axisRange(2, static_cast<int64_t>(grouped.size())), epsilon);
}

Normalized normalizeByRms(NnBuilder &nn, Value x, Ints axes, double epsilon) {
  if (!x)
    return {};
  Value wide = widen(nn, x);
  Value inverse = invertRms(nn, wide, axes, epsilon);
  return {nn.cast(nn.mul(wide, inverse), getElementType(x)), nullptr, inverse};
}

} // namespace nacre::importer
