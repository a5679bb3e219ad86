// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sampling.h. The parts of this file are positions, samples, regions, and regions whose number of samples is known
// only at run time.

#include "compiler/import/compositions/Sampling.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/control/RegionBuilder.h"

#include <limits>

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

/// Returns the constant `numbers` with the element type of `like`.
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

/// Reverses the last axis.
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

/// Returns the positions of all samples: `[samples of a bin, regions, bins of rows, bins of columns, 2]`.
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

/// True for positions whose coordinates are both inside the image, or at most one element outside: `[..., 1]`.
static Value isNear(NnBuilder &nn, Value positions, Ints extents) {
  if (!positions)
    return {};
  int64_t last = getRank(positions) - 1;
  Value least = nn.binary(BinaryKind::GreaterEqual, positions, -1);
  Value most = nn.binary(BinaryKind::LessEqual, positions, makeNumbers(nn, positions, 2, toFloats(extents)));
  Value both = nn.binary(BinaryKind::And, least, most);
  return nn.binary(BinaryKind::And, nn.slice(both, last, 0, 1), nn.slice(both, last, 1, 1));
}

/// Returns the largest of the four weighted pixels around each position.
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

static Value poolAdaptively(NnBuilder &nn, Value image, Value begins, Value sizes, Value images,
                            const RegionRule &rule);

/// Pools one sample after another, so that at most two samples are in memory.
Value poolRegions(NnBuilder &nn, Value image, Value begins, Value sizes, Value images, const RegionRule &rule) {
  if (rule.samples == 0)
    return poolAdaptively(nn, image, begins, sizes, images, rule);
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

//===----------------------------------------------------------------------===//
// 4. Regions whose number of samples is known only at run time
//===----------------------------------------------------------------------===//

namespace {

/// Samples of all bins along one axis of the image. Tensors are `[regions, bins of rows, bins of columns]`, but have
/// size 1 along the other axis.
struct AxisSamples {
  Value all;    ///< number of samples of a bin
  Value step;   ///< distance between two samples
  Value begins; ///< begin of each bin
  Value firsts; ///< index of the first sample of a bin that may lie in the image
  Value counts; ///< number of samples from `firsts` on that may lie in the image, as i32
  int64_t most; ///< upper bound of `counts`
};

/// Finds the samples of regions. A region may be larger than the image, and may have any number of samples. Samples
/// outside of the image are 0, so only samples inside are visited. Their number is bounded, because the distance of two
/// samples is more than half an element.
AxisSamples findSamples(NnBuilder &nn, Value begins, Value sizes, int64_t axis, int64_t bins, int64_t extent) {
  const int64_t regions = getShape(begins)[0];
  auto takeAxis = [&](Value x) { return nn.reshape(nn.slice(x, 1, axis, 1), {regions, 1, 1}); };
  Value begin = takeAxis(begins), bin = nn.div(takeAxis(sizes), static_cast<double>(bins));
  AxisSamples samples;
  samples.most = 2 * extent + 6;
  samples.all = nn.unary(UnaryKind::Ceil, bin);
  Value isRegion = nn.binary(BinaryKind::GreaterEqual, samples.all, 1);
  samples.step = nn.select(isRegion, nn.div(bin, samples.all), nn.scalar(bin, 1));
  Value numbers = nn.cast(nn.counting(bins), getElementType(begins));
  samples.begins = nn.add(nn.mul(nn.alignToAxis(numbers, 1 + axis, 3), bin), begin);
  // Returns the index of the sample at a place, rounded down.
  auto numberAt = [&](double place) {
    Value distance = nn.add(nn.unary(UnaryKind::Neg, samples.begins), place);
    return nn.unary(UnaryKind::Floor, nn.add(nn.div(distance, samples.step), -0.5));
  };
  samples.firsts = nn.binary(BinaryKind::Max, numberAt(-1), 0);
  Value ends = nn.binary(BinaryKind::Min, nn.add(numberAt(static_cast<double>(extent)), 2), samples.all);
  Value counts = nn.sub(ends, samples.firsts), isAny = nn.binary(BinaryKind::Greater, counts, 0);
  counts = nn.binary(BinaryKind::Min, counts, static_cast<double>(samples.most));
  samples.counts = nn.cast(nn.select(isAny, counts, nn.scalar(counts, 0)), nn.types().getI32Type()); // NaN becomes 0
  return samples;
}

/// Loop whose iteration k visits sample k of every bin that has such a sample. The bin with the most samples decides
/// the number of iterations.
class AdaptivePooling {
public:
  AdaptivePooling(NnBuilder &nn, Value image, Value images, const RegionRule &rule, const AxisSamples &rows,
                  const AxisSamples &columns)
      : nn(nn), image(image), images(images), rule(rule), rows(rows), columns(columns) {
    counts = nn.mul(rows.counts, columns.counts);
    inRow = nn.binary(BinaryKind::Max, columns.counts, 1);
  }

  Value pool() {
    if (!counts || !inRow)
      return {};
    // Sums in f16 would lose digits in each iteration.
    Type stored = getElementType(image), type = stored.getIntOrFloatBitWidth() < 32 ? nn.types().getF32Type() : stored;
    SmallVector<int64_t> shape(getShape(counts));
    shape.push_back(1);
    Value seen = nn.splat(RankedTensorType::get(shape, type), 0);
    shape.back() = getShape(image).back();
    const double none = rule.takesMaximum ? -std::numeric_limits<double>::infinity() : 0;
    Loop loop;
    loop.bound = rows.most * columns.most;
    loop.count = nn.reduce(nn::ReduceKind::Max, counts, axisRange(0, 3), /*keepDims=*/false);
    loop.initial = {nn.splat(RankedTensorType::get(shape, type), none)};
    if (rule.takesMaximum)
      loop.initial.push_back(seen);
    if (!loop.count || llvm::is_contained(loop.initial, Value()))
      return {};
    FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(
        loop, [&](Value number, ArrayRef<Value> carried, ArrayRef<Value>) { return visit(number, carried); });
    return failed(results) ? Value() : nn.cast(finish(results->finals), stored);
  }

private:
  /// Returns the coordinate along an axis of the visited sample with the index `number`: `[regions, rows, columns, 1]`.
  Value place(const AxisSamples &axis, Value number) {
    Value index = nn.add(nn.add(axis.firsts, nn.cast(number, getElementType(axis.step))), 0.5);
    Value at = nn.add(nn.mul(index, axis.step), axis.begins);
    SmallVector<int64_t> shape(getShape(counts));
    Value all = at ? nn.broadcast(at, shape) : Value();
    shape.push_back(1);
    return all ? nn.reshape(all, shape) : Value();
  }

  FailureOr<Iteration> visit(Value number, ArrayRef<Value> carried) {
    Value sampleNumber = nn.cast(number, nn.types().getI32Type());
    Value row = nn.div(sampleNumber, inRow), column = nn.sub(sampleNumber, nn.mul(row, inRow));
    Value atRow = row ? place(rows, row) : Value(), atColumn = column ? place(columns, column) : Value();
    if (!atRow || !atColumn)
      return failure();
    Value positions = nn.concat({atRow, atColumn}, 3);
    if (!positions)
      return failure();
    SmallVector<int64_t> shape(getShape(counts));
    shape.push_back(1);
    Value isVisited = nn.reshape(nn.binary(BinaryKind::Less, sampleNumber, counts), shape);
    Value isNeeded = nn.binary(BinaryKind::And, isVisited, isNear(nn, positions, getShape(image).slice(1, 2)));
    Value pixels =
        rule.takesMaximum ? takeLargestOfFour(nn, image, positions, images) : sample(nn, {}, image, positions, images);
    pixels = pixels ? nn.cast(pixels, getElementType(carried[0])) : Value();
    Iteration iteration;
    if (rule.takesMaximum)
      iteration.carried = {nn.select(isNeeded, nn.binary(BinaryKind::Max, carried[0], pixels), carried[0]),
                           nn.add(carried[1], isNeeded ? nn.cast(isNeeded, getElementType(carried[1])) : Value())};
    else
      iteration.carried = {nn.add(carried[0], nn.select(isNeeded, pixels, nn.scalar(carried[0], 0)))};
    if (llvm::is_contained(iteration.carried, Value()))
      return failure();
    return iteration;
  }

  /// Returns the mean or the maximum of all samples. Samples that were not visited are 0.
  Value finish(ArrayRef<Value> finals) {
    Value all = nn.mul(rows.all, columns.all);
    all = all ? nn.reshape(nn.cast(all, getElementType(finals[0])), {getShape(all)[0], 1, 1, 1}) : Value();
    all = nn.binary(BinaryKind::Max, all, 1);
    if (!rule.takesMaximum)
      return nn.div(finals[0], all);
    Value isWhole = nn.binary(BinaryKind::GreaterEqual, finals[1], all);
    return nn.select(isWhole, finals[0], nn.binary(BinaryKind::Max, finals[0], 0));
  }

  NnBuilder &nn;
  Value image, images;
  const RegionRule &rule;
  const AxisSamples &rows, &columns;
  Value counts; ///< number of visited samples of each bin
  Value inRow;  ///< number of visited samples in a row of samples, at least 1
};

} // namespace

static Value poolAdaptively(NnBuilder &nn, Value image, Value begins, Value sizes, Value images,
                            const RegionRule &rule) {
  if (!image || !begins || !sizes)
    return {};
  AxisSamples rows = findSamples(nn, begins, sizes, 0, rule.bins[0], getShape(image)[1]),
              columns = findSamples(nn, begins, sizes, 1, rule.bins[1], getShape(image)[2]);
  return AdaptivePooling(nn, image, images, rule, rows, columns).pool();
}

} // namespace nacre::importer
