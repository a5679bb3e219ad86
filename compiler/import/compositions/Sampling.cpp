// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. positions, 2. samples, 3. regions.

#include "compiler/import/compositions/Sampling.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

/// Numbers of `like`'s element type.
static Value makeNumbers(NnBuilder &nn, Value like, Ints shape, ArrayRef<float> numbers) {
  auto type = RankedTensorType::get(shape, nn.types().getF32Type());
  return like ? nn.cast(nn.constant(DenseElementsAttr::get(type, numbers)), getElementType(like)) : Value();
}

static SmallVector<float> toFloats(Ints integers) {
  return llvm::map_to_vector(integers, [](int64_t integer) { return static_cast<float>(integer); });
}

//===----------------------------------------------------------------------===//
// 1. Positions
//===----------------------------------------------------------------------===//

/// The last axis from its end.
static Value reverseLast(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  SmallVector<int64_t> starts(getRank(x), 0), steps(getRank(x), 1);
  starts.back() = getShape(x).back() - 1;
  steps.back() = -1;
  return nn.slice(x, starts, getShape(x), steps);
}

Value fromNormalizedGrid(NnBuilder &nn, Value grid, Ints extents, bool alignCorners) {
  if (!grid)
    return {};
  auto axes = static_cast<int64_t>(extents.size());
  SmallVector<float> sizes = toFloats(extents);
  Value fromEdge = nn.add(reverseLast(nn, grid), 1);
  if (!alignCorners)
    return nn.mul(nn.add(nn.mul(fromEdge, makeNumbers(nn, grid, axes, sizes)), -1), 0.5);
  for (float &size : sizes)
    size -= 1;
  return nn.mul(nn.mul(fromEdge, 0.5), makeNumbers(nn, grid, axes, sizes));
}

Value makeAffineGrid(NnBuilder &nn, Value theta, Ints extents, bool alignCorners) {
  if (!theta)
    return {};
  auto axes = static_cast<int64_t>(extents.size());
  SmallVector<int64_t> column(extents.size() + 2, 1);
  column.front() = getShape(theta)[0];
  column.back() = axes;
  auto takeColumn = [&](int64_t index) { return nn.reshape(nn.slice(theta, 2, index, 1), column); };
  Value sum = takeColumn(axes);
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    SmallVector<float> places;
    auto size = static_cast<double>(extent);
    for (int64_t place = 0; place < extent; ++place) {
      auto x = static_cast<double>(place);
      double corner = extent > 1 ? 2 * x / (size - 1) - 1 : -1;
      places.push_back(static_cast<float>(alignCorners ? corner : (2 * x + 1) / size - 1));
    }
    SmallVector<int64_t> shape(extents.size() + 1 - axis, 1);
    shape.front() = extent;
    Value along = makeNumbers(nn, theta, shape, places);
    sum = nn.add(nn.mul(along, takeColumn(axes - 1 - static_cast<int64_t>(axis))), sum);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// 2. Samples
//===----------------------------------------------------------------------===//

Value sample(NnBuilder &nn, SampleRule rule, Value image, Value positions, Value images) {
  if (!image)
    return {};
  Type type = getElementType(image);
  if (rule.interpolation != nn::Interpolation::Nearest && !isFloat(image))
    image = nn.cast(image, nn.types().getF32Type());
  return nn.cast(nn.sample(rule.interpolation, rule.padding, image, positions, images, rule.alignCorners), type);
}

//===----------------------------------------------------------------------===//
// 3. Regions
//===----------------------------------------------------------------------===//

/// `[samples of a bin, boxes, bins of rows, of columns, 2]`
static Value placeSamples(NnBuilder &nn, Value begins, Value sizes, const RegionRule &rule) {
  if (!begins || !sizes)
    return {};
  int64_t rows = rule.bins[0], columns = rule.bins[1], boxes = getShape(begins)[0], samples = rule.samples;
  auto part = [&](int64_t bin, int64_t sample, int64_t bins) {
    return (static_cast<float>(bin * samples + sample) + 0.5F) / static_cast<float>(bins * samples);
  };
  SmallVector<float, 0> parts;
  for (int64_t sample = 0; sample < samples * samples; ++sample)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        parts.append({part(row, sample / samples, rows), part(column, sample % samples, columns)});
  Value along = nn.mul(nn.reshape(sizes, {boxes, 1, 1, 2}),
                       makeNumbers(nn, sizes, {samples * samples, 1, rows, columns, 2}, parts));
  return nn.add(nn.reshape(begins, {boxes, 1, 1, 2}), along);
}

/// Whether both coordinates of positions lie at most an element outside of the image: `[..., 1]`.
static Value isNear(NnBuilder &nn, Value positions, Ints extents) {
  if (!positions)
    return {};
  int64_t last = getRank(positions) - 1;
  Value least = nn.binary(BinaryKind::GreaterEqual, positions, -1);
  Value most = nn.binary(BinaryKind::LessEqual, positions, makeNumbers(nn, positions, 2, toFloats(extents)));
  Value both = nn.binary(BinaryKind::And, least, most);
  return nn.binary(BinaryKind::And, nn.slice(both, last, 0, 1), nn.slice(both, last, 1, 1));
}

/// The largest of the four pixels around a position, each by its weight.
static Value takeLargestOfFour(NnBuilder &nn, Value image, Value positions, Value images) {
  if (!positions)
    return {};
  SmallVector<float> lasts = toFloats(getShape(image).slice(1, 2));
  for (float &last : lasts)
    last -= 1;
  Value inside =
      nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Max, positions, 0.0), makeNumbers(nn, positions, 2, lasts));
  Value low = nn.unary(UnaryKind::Floor, inside), high = nn.sub(inside, low);
  Value rest = nn.add(nn.unary(UnaryKind::Neg, high), 1), largest;
  for (int64_t corner = 0; corner < 4; ++corner) {
    int64_t row = corner / 2, column = corner % 2;
    Value at = nn.add(low, makeNumbers(nn, low, 2, {static_cast<float>(row), static_cast<float>(column)}));
    Value weight = nn.mul(nn.slice(row ? high : rest, 3, 0, 1), nn.slice(column ? high : rest, 3, 1, 1));
    Value weighted = nn.mul(sample(nn, {nn::Interpolation::Nearest}, image, at, images), weight);
    largest = largest ? nn.binary(BinaryKind::Max, largest, weighted) : weighted;
  }
  return largest;
}

/// Sample by sample, so that no more than two of them are kept.
Value poolRegions(NnBuilder &nn, Value image, Value begins, Value sizes, Value images, const RegionRule &rule) {
  Value all = placeSamples(nn, begins, sizes, rule);
  if (!image || !all)
    return {};
  Value allNear = isNear(nn, all, getShape(image).slice(1, 2)), total;
  auto pick = [&](Value values, int64_t sample) {
    return values ? nn.reshape(nn.slice(values, 0, sample, 1), getShape(values).drop_front()) : Value();
  };
  for (int64_t number = 0; number < rule.samples * rule.samples; ++number) {
    Value positions = pick(all, number);
    Value pixels =
        rule.takesMaximum ? takeLargestOfFour(nn, image, positions, images) : sample(nn, {}, image, positions, images);
    Value near = nn.select(pick(allNear, number), pixels, nn.scalar(pixels, 0));
    total = !total ? near : rule.takesMaximum ? nn.binary(BinaryKind::Max, total, near) : nn.add(total, near);
  }
  return rule.takesMaximum ? total : nn.mul(total, 1 / static_cast<double>(rule.samples * rule.samples));
}

} // namespace nacre::importer
