// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements QuantizedResize.h: 1. positions on an axis, computed with integers or floats like the reference, 2.
// images.

#include "compiler/import/tflite/quantized/QuantizedResize.h"

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tflite/quantized/FixedPointValues.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Axes
//===----------------------------------------------------------------------===//

/// The two elements around each position, and the distance of the position from the lower one.
template <typename Number> struct Neighbours {
  SmallVector<int64_t> lower, upper;
  SmallVector<Number> fractions;

  void add(int64_t below, int64_t above, int64_t last, Number position, Number unit) {
    lower.push_back(std::clamp<int64_t>(below, 0, last));
    upper.push_back(std::clamp<int64_t>(above, 0, last));
    fractions.push_back(position - static_cast<Number>(lower.back()) * unit);
  }
};

/// True if the corners of both images coincide along an axis.
bool alignsCorners(CornerRule rule, int64_t output) { return rule == CornerRule::AlignCorners && output > 1; }

/// Returns the neighbours of all positions, with fractions in units of 1/1024.
Neighbours<int64_t> findInIntegers(int64_t input, int64_t output, CornerRule rule) {
  constexpr int64_t unit = 1024;
  const int64_t aligned = alignsCorners(rule, output) ? 1 : 0, from = input - aligned, to = output - aligned;
  const int64_t scale = (unit * from + to / 2) / to;
  Neighbours<int64_t> found;
  for (int64_t index = 0; index < output; ++index) {
    int64_t position = index * scale;
    if (rule == CornerRule::HalfPixelCenters)
      position += scale / 2 - unit / 2;
    found.add(position / unit, (position + unit - 1) / unit, input - 1, position, unit);
  }
  return found;
}

Neighbours<float> findInReals(int64_t input, int64_t output, CornerRule rule) {
  const int64_t aligned = alignsCorners(rule, output) ? 1 : 0;
  const float scale = static_cast<float>(input - aligned) / static_cast<float>(output - aligned);
  Neighbours<float> found;
  for (int64_t index = 0; index < output; ++index) {
    float position = static_cast<float>(index) * scale;
    if (rule == CornerRule::HalfPixelCenters) {
      const float middle = (static_cast<float>(index) + 0.5F) * scale;
      position = middle - 0.5F;
    }
    found.add(static_cast<int64_t>(std::floor(position)), static_cast<int64_t>(std::ceil(position)), input - 1,
              position, 1);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// 2. Images
//===----------------------------------------------------------------------===//

/// Selects and weights rows and columns of an image, in the element type `type`.
struct Corners {
  NnBuilder &nn;
  Type type;

  Value pick(Value x, Ints indices, int64_t axis) { return nn.gather(x, nn.integers(indices), axis); }

  /// Returns a tensor with one weight for each position along an axis of images.
  template <typename Number> Value weigh(ArrayRef<Number> numbers, int64_t axis) {
    const auto count = static_cast<int64_t>(numbers.size());
    using Element = std::conditional_t<std::is_integral_v<Number>, int64_t, double>;
    Value weights = makeTable<Element>(nn, RankedTensorType::get(count, type),
                                       [&](int64_t index) { return static_cast<Element>(numbers[index]); });
    return weights ? nn.alignToAxis(weights, axis, /*rank=*/4) : Value();
  }
};

/// Returns the weighted sum of both neighbours of each position along an axis.
Value blend(Corners corners, Value x, const Neighbours<int64_t> &neighbours, int64_t axis) {
  NnBuilder &nn = corners.nn;
  SmallVector<int64_t> rest =
      llvm::map_to_vector(neighbours.fractions, [](int64_t fraction) { return 1024 - fraction; });
  Value lower = nn.cast(corners.pick(x, neighbours.lower, axis), corners.type),
        upper = nn.cast(corners.pick(x, neighbours.upper, axis), corners.type);
  return nn.add(nn.mul(lower, corners.weigh<int64_t>(rest, axis)),
                nn.mul(upper, corners.weigh<int64_t>(neighbours.fractions, axis)));
}

Value resizeInIntegers(NnBuilder &nn, Value x, Ints sizes, CornerRule rule) {
  const bool isWide = getElementType(x).getIntOrFloatBitWidth() > 8;
  Corners corners{nn, isWide ? nn.types().getI64Type() : nn.types().getI32Type()};
  Value rows = blend(corners, x, findInIntegers(getShape(x)[1], sizes[0], rule), 1);
  Value sums = rows ? blend(corners, rows, findInIntegers(getShape(x)[2], sizes[1], rule), 2) : Value();
  return nn.cast(divideAway(nn, sums, 1 << 20), getElementType(x));
}

/// Resizes with floats. Adds the four weighted corners in the order of the reference.
Value resizeInReals(NnBuilder &nn, Value x, Ints sizes, CornerRule rule) {
  Corners corners{nn, nn.types().getF32Type()};
  const Neighbours<float> rows = findInReals(getShape(x)[1], sizes[0], rule),
                          columns = findInReals(getShape(x)[2], sizes[1], rule);
  auto getRest = [](const Neighbours<float> &neighbours) {
    return llvm::map_to_vector(neighbours.fractions, [](float fraction) { return 1 - fraction; });
  };
  Value rowWeights[] = {corners.weigh<float>(getRest(rows), 1), corners.weigh<float>(rows.fractions, 1)},
        columnWeights[] = {corners.weigh<float>(getRest(columns), 2), corners.weigh<float>(columns.fractions, 2)};
  Value sum;
  for (int column : {0, 1})
    for (int row : {0, 1}) {
      Value picked = corners.pick(x, row ? rows.upper : rows.lower, 1);
      picked = nn.cast(corners.pick(picked, column ? columns.upper : columns.lower, 2), corners.type);
      Value product = nn.mul(nn.mul(picked, rowWeights[row]), columnWeights[column]);
      sum = sum ? nn.add(sum, product) : product;
    }
  return nn.cast(nn.add(sum, 0.5), getElementType(x));
}

} // namespace

void importQuantizedResize(TfliteNode &node, Ints sizes, CornerRule rule) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type type = getElementType(x);
  if (!type.isInteger(8) && !type.isSignlessInteger(16)) {
    node.error() << node->nameOf(0) << " must hold floats or 8- or 16-bit integers, but is " << describe(x);
    return;
  }
  if (!nn.allowsConstant(sizes[0], 32) || !nn.allowsConstant(sizes[1], 32))
    return node.setResult({});
  node.setResult(type.isUnsignedInteger() ? resizeInReals(nn, x, sizes, rule) : resizeInIntegers(nn, x, sizes, rule));
}

} // namespace nacre::importer::tflite_format
