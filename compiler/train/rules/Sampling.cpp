// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of sampling, for the image and for the positions.
//
// A sample is a weighted sum of neighbours. Each weight is a product over the axes. The gradient of the image at a
// neighbour is the gradient of the sample times the weight. The gradient of a position is computed from the neighbours
// and the slopes of the weights.
// How: 1. the neighbours along one axis;
//      2. all neighbours, which are combinations of neighbours along each axis;
//      3. the rule. The points of all rows and images form one list.

#include "compiler/train/rules/GradientRules.h"

using namespace mlir;

namespace nacre::train {

using nn::BinaryKind;

namespace {

//===----------------------------------------------------------------------===//
// 1. Along an axis
//===----------------------------------------------------------------------===//

/// One neighbour along one axis, for every point.
struct Tap {
  Value index;    ///< Index as `i32`, inside of the image.
  Value isInside; ///< Condition that the neighbour counts; null if it always counts.
  Value weight;   ///< Weight; a scalar if it is equal for all points.
  Value slope;    ///< Derivative of the weight by the position; may also be a scalar.
};

/// Weight of the neighbour that is `offset` elements after the rounded-down position. It is a polynomial of the
/// fraction, with the constant term first.
struct TapRule {
  int64_t offset;
  SmallVector<double, 4> weight;
};

SmallVector<TapRule> rulesOf(nn::Interpolation interpolation) {
  constexpr double a = -0.75; // Parameter of Keys' cubic convolution.
  switch (interpolation) {
  case nn::Interpolation::Nearest:
    return {{0, {1}}};
  case nn::Interpolation::Linear:
    return {{0, {1, -1}}, {1, {0, 1}}};
  case nn::Interpolation::Cubic:
    return {
        {-1, {0, a, -2 * a, a}}, {0, {1, 0, -(a + 3), a + 2}}, {1, {0, -a, 2 * a + 3, -(a + 2)}}, {2, {0, 0, a, -a}}};
  }
  llvm_unreachable("all interpolations are above");
}

/// Evaluates a polynomial. A constant polynomial gives a scalar.
Value evaluatePolynomial(Writer &w, Value x, ArrayRef<double> coefficients) {
  if (coefficients.empty())
    return w.number(x, 0);
  Value sum = w.number(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = w.add(w.mul(sum, x), coefficient);
  return sum;
}

SmallVector<double, 4> derive(ArrayRef<double> coefficients) {
  SmallVector<double, 4> slope;
  for (size_t power = 1; power < coefficients.size(); ++power)
    slope.push_back(double(power) * coefficients[power]);
  return slope;
}

Value clampIndices(Writer &w, Value index, int64_t extent) {
  return w.binary(BinaryKind::Min, w.binary(BinaryKind::Max, index, 0.0), double(extent - 1));
}

Value reflect(Writer &w, Value index, int64_t extent, bool alignCorners) {
  const int64_t period = alignCorners ? 2 * (extent - 1) : 2 * extent;
  if (period == 0)
    return w.mul(index, 0);
  Value inPeriod = w.binary(BinaryKind::Mod, index, double(period));
  return w.binary(BinaryKind::Min, inPeriod, w.sub(double(alignCorners ? period : period - 1), inPeriod));
}

/// Returns the neighbours of `positions`, a list of floats, along an axis of `extent` elements.
SmallVector<Tap> findTaps(Writer &w, nn::SampleOp op, Value positions, int64_t extent) {
  constexpr double farOutside = double(1 << 30);
  Value x = w.binary(BinaryKind::Max, w.binary(BinaryKind::Min, positions, farOutside), -farOutside);
  const bool isNearest = op.getInterpolation() == nn::Interpolation::Nearest;
  Value low = w.unary(isNearest ? nn::UnaryKind::Round : nn::UnaryKind::Floor, x), rest = w.sub(x, low);
  Value first = w.convert(low, w.getBuilder().getI32Type());
  SmallVector<Tap> taps;
  for (const TapRule &rule : rulesOf(op.getInterpolation())) {
    Tap &tap = taps.emplace_back();
    Value index = w.add(first, double(rule.offset));
    tap.index = op.getPadding() == nn::SamplePadding::Reflection ? reflect(w, index, extent, op.getAlignCorners())
                                                                 : clampIndices(w, index, extent);
    if (op.getPadding() == nn::SamplePadding::Zeros)
      tap.isInside = w.equal(index, tap.index);
    tap.weight = evaluatePolynomial(w, rest, rule.weight);
    tap.slope = evaluatePolynomial(w, rest, derive(rule.weight));
  }
  return taps;
}

//===----------------------------------------------------------------------===//
// 2. All neighbours
//===----------------------------------------------------------------------===//

/// One neighbour of every point.
struct Neighbour {
  Value coordinates;         ///< `[points, 1 + axes]` as i32: the index of the image, then the index along each axis.
  Value weight;              ///< `[points, 1]`; 0 if the neighbour is outside and padding is 0.
  SmallVector<Value> slopes; ///< Derivatives of the weight by the position along each axis.
};

/// Returns the index of the image that each point reads, as `[points, 1]`.
Value findImages(Writer &w, nn::SampleOp op, int64_t points) {
  Type integer = w.getBuilder().getI32Type();
  const int64_t rows = shapeOf(op.getPositions())[0], images = shapeOf(op.getInput())[0];
  Value ofRows =
      op.getImages() ? clampIndices(w, w.convert(op.getImages(), integer), images) : w.counting(rows, 0, 1, integer);
  return w.reshape(w.broadcast(w.reshape(ofRows, {rows, 1}), {rows, points / rows}), {points, 1});
}

Neighbour combine(Writer &w, ArrayRef<Tap> taps, Value images, int64_t points) {
  Neighbour neighbour;
  SmallVector<Value> coordinates{images};
  auto asColumn = [&](Value list) { return w.reshape(w.broadcast(list, {points}), {points, 1}); };
  auto multiply = [&](std::optional<size_t> sloped) {
    Value product;
    for (auto [axis, tap] : llvm::enumerate(taps)) {
      Value factor = sloped == axis ? tap.slope : tap.weight;
      if (tap.isInside)
        factor = w.where(tap.isInside, factor);
      product = product ? w.mul(product, factor) : factor;
    }
    return asColumn(product);
  };
  for (const Tap &tap : taps)
    coordinates.push_back(asColumn(tap.index));
  neighbour.coordinates = w.concat(coordinates, 1);
  neighbour.weight = multiply(std::nullopt);
  for (size_t axis = 0; axis < taps.size(); ++axis)
    neighbour.slopes.push_back(multiply(axis));
  return neighbour;
}

SmallVector<Neighbour> findNeighbours(Writer &w, nn::SampleOp op, int64_t points, Type computed) {
  const int64_t axes = shapeOf(op.getPositions()).back();
  Value positions = w.reshape(w.convert(op.getPositions(), computed), {points, axes});
  SmallVector<SmallVector<Tap>> along;
  size_t count = 1;
  for (int64_t axis = 0; axis < axes; ++axis) {
    along.push_back(
        findTaps(w, op, w.reshape(w.slice(positions, 1, axis, 1), {points}), shapeOf(op.getInput())[axis + 1]));
    count *= along.back().size();
  }
  Value images = findImages(w, op, points);
  SmallVector<Neighbour> neighbours;
  for (size_t number = 0; number < count; ++number) {
    SmallVector<Tap> taps;
    size_t left = number;
    for (ArrayRef<Tap> choices : along) {
      taps.push_back(choices[left % choices.size()]);
      left /= choices.size();
    }
    neighbours.push_back(combine(w, taps, images, points));
  }
  return neighbours;
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. The rule
//===----------------------------------------------------------------------===//

LogicalResult reverseSample(nn::SampleOp op, Adjoint &at) {
  Writer &w = at.write;
  Value image = op.getInput(), positions = op.getPositions();
  const int64_t axes = shapeOf(positions).back(), channels = shapeOf(image).back(),
                points = countOf(shapeOf(positions).drop_back());
  if (points == 0 || channels == 0) { // No element was read.
    at.give(image, w.zeros(typeOf(image)));
    at.give(positions, w.zeros(typeOf(positions)));
    return success();
  }
  Type stored = typeOf(image).getElementType();
  Type computed = stored.getIntOrFloatBitWidth() < 32 ? w.getBuilder().getF32Type() : stored;
  Value dy = w.reshape(w.convert(at.of(), computed), {points, channels});
  // Rounding to the nearest element has slope 0 almost everywhere.
  const bool movesPositions = op.getInterpolation() != nn::Interpolation::Nearest && at.wants(positions);
  SmallVector<Value> coordinates, updates, slopes(axes);
  for (const Neighbour &neighbour : findNeighbours(w, op, points, computed)) {
    coordinates.push_back(neighbour.coordinates);
    updates.push_back(w.mul(dy, neighbour.weight));
    if (!movesPositions)
      continue;
    Value pixels = nn::GatherNdOp::create(w.getBuilder(), w.getLoc(), image, neighbour.coordinates, /*batchDims=*/0);
    Value along = w.sum(w.mul(w.convert(pixels, computed), dy), {1}, /*keepDims=*/true);
    for (auto [slope, own] : llvm::zip_equal(slopes, neighbour.slopes)) {
      Value part = w.mul(along, own);
      slope = slope ? w.add(slope, part) : part;
    }
  }
  if (at.wants(image)) {
    Value sums =
        nn::ScatterNdOp::create(w.getBuilder(), w.getLoc(), nn::ScatterKind::Add,
                                w.zeros(typeOf(image).clone(computed)), w.concat(coordinates, 0), w.concat(updates, 0));
    at.give(image, w.convert(sums, stored));
  }
  if (movesPositions)
    at.give(positions,
            w.convert(w.reshape(w.concat(slopes, 1), shapeOf(positions)), typeOf(positions).getElementType()));
  return success();
}

} // namespace nacre::train
