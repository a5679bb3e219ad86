// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Poolings.h. To find the index of a maximum, the code gathers each window's elements along a new axis. Then it
// finds the largest element, and its position in the window. The index follows from the beginning of the window and
// this position. Pooling of regions uses tables instead of windows.

#include "compiler/import/compositions/Poolings.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Quantization.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

/// Returns the smallest value of the type `element`.
static double leastOf(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  return element.isUnsignedInteger() ? 0 : -std::ldexp(1.0, int(element.getIntOrFloatBitWidth()) - 1);
}

static Value padWindows(NnBuilder &nn, Value x, const Window &window) {
  const size_t axes = window.kernel.size();
  SmallVector<int64_t> low(axes + 2, 0), high(low);
  for (size_t axis = 0; axis < axes; ++axis) {
    low[axis + 1] = window.pads[axis];
    high[axis + 1] = window.pads[axes + axis] + window.overhang[axis];
  }
  return nn.pad(nn::PadMode::Constant, x, low, high, leastOf(getElementType(x)));
}

Value indicesOfMaxima(NnBuilder &nn, Value x, const Window &window, Ints distances) {
  Value windows = x ? padWindows(nn, x, window) : Value();
  if (!windows)
    return {};
  // 1. The shape is [N, places, cells, places, cells ..., C], and then [N, places..., cells, C].
  const size_t axes = window.kernel.size();
  SmallVector<int64_t> places, apart = {getShape(x).front()}, order = {0}, side;
  int64_t cells = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    places.push_back((getShape(windows)[axis + 1] - extent) / window.strides[axis] + 1);
    SmallVector<int64_t> positions;
    for (int64_t place = 0; place < places.back(); ++place)
      for (int64_t cell = 0; cell < window.kernel[axis]; ++cell)
        positions.push_back(place * window.strides[axis] + cell * window.dilations[axis]);
    windows = nn.gather(windows, nn.integers(positions), axis + 1);
    if (!windows)
      return {};
    apart.append({places.back(), window.kernel[axis]});
    order.push_back(1 + 2 * axis);
    cells *= window.kernel[axis];
  }
  for (size_t axis = 0; axis < axes; ++axis)
    order.push_back(2 + 2 * axis);
  order.push_back(1 + 2 * axes);
  apart.push_back(getShape(x).back());
  side.push_back(apart.front());
  side.append(places);
  side.append({cells, apart.back()});
  windows = nn.reshape(nn.transpose(nn.reshape(windows, apart), order), side);

  // 2. The largest element of each window.
  Value largest = nn.argReduce(nn::ArgKind::Max, windows, axes + 1, /*keepDims=*/false, /*selectLast=*/false);

  // 3. The index of that element.
  SmallVector<int64_t> fromBegin = {0};
  for (size_t axis = 0; axis < axes; ++axis) {
    SmallVector<int64_t> further;
    for (int64_t begin : fromBegin)
      for (int64_t cell = 0; cell < window.kernel[axis]; ++cell)
        further.push_back(begin + cell * window.dilations[axis] * distances[axis]);
    fromBegin = std::move(further);
  }
  Value index = nn.gather(nn.integers(fromBegin), largest, 0);
  for (size_t axis = 0; axis < axes; ++axis) {
    SmallVector<int64_t> begins;
    for (int64_t place = 0; place < places[axis]; ++place)
      begins.push_back((place * window.strides[axis] - window.pads[axis]) * distances[axis]);
    index = nn.add(index, nn.alignToAxis(nn.integers(begins), axis + 1, axes + 2));
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Regions: tables of maxima
//===----------------------------------------------------------------------===//

/// Returns the number of powers of two that are at most `extent`.
static int64_t countLevels(int64_t extent) { return llvm::Log2_64(static_cast<uint64_t>(extent)) + 1; }

SmallVector<int64_t> getTableOfMaxima(Ints images) {
  return {countLevels(images[1]) * countLevels(images[2]) * images[0] * images[1] * images[2], images[3]};
}

/// Returns the maxima of runs of 1, 2, 4, ... elements along `axis`. Each maximum is at the index of the first element
/// of its run. Runs that would extend past the end are never read.
static SmallVector<Value> makeLevels(NnBuilder &nn, Value x, int64_t axis) {
  SmallVector<Value> levels{x};
  if (!x)
    return levels;
  const int64_t extent = getShape(x)[axis];
  for (int64_t run = 1; 2 * run <= extent; run *= 2) {
    SmallVector<int64_t> none(getRank(x), 0), behind(none);
    behind[axis] = run;
    Value ahead = nn.pad(nn::PadMode::Constant, nn.slice(levels.back(), axis, run, extent - run), none, behind, 0);
    levels.push_back(nn.binary(BinaryKind::Max, levels.back(), ahead));
    if (!levels.back())
      break;
  }
  return levels;
}

static Value makeTableOfMaxima(NnBuilder &nn, Value images) {
  Ints shape = getShape(images);
  SmallVector<Value> entries;
  for (Value byRows : makeLevels(nn, images, 1))
    for (Value level : makeLevels(nn, byRows, 2))
      entries.push_back(nn.reshape(level, {shape[0] * shape[1] * shape[2], shape[3]}));
  return nn.concat(entries, 0);
}

//===----------------------------------------------------------------------===//
// Regions: their bins
//===----------------------------------------------------------------------===//

namespace {

/// Bins of all regions along one axis, [R, bins].
struct Parts {
  Value level;       ///< level of the table, where two runs of 2^level elements cover the bin
  Value first, last; ///< first elements of the two runs
  Value isEmpty;
};

/// Divides regions into bins. `begin` and `end`, [R, 1], are the first and the last element of each region.
Parts divide(NnBuilder &nn, Value begin, Value end, int64_t bins, int64_t extent) {
  Type i32 = nn.types().getI32Type(), f32 = nn.types().getF32Type();
  Value numbers = nn.cast(nn.counting(bins), f32);
  Value step = nn.div(nn.binary(BinaryKind::Max, nn.add(nn.sub(end, begin), 1), 1), static_cast<double>(bins));
  auto place = [&](UnaryKind round, Value number) {
    Value at = nn.add(nn.unary(round, nn.mul(step, number)), begin);
    return nn.cast(clamp(nn, at, 0, static_cast<double>(extent)), i32);
  };
  Value low = place(UnaryKind::Floor, numbers), high = place(UnaryKind::Ceil, nn.add(numbers, 1));
  Value length = nn.sub(high, low), run = nn.scalar(length, 1);
  Parts parts{nn.scalar(length, 0), {}, {}, nn.binary(BinaryKind::LessEqual, high, low)};
  for (int64_t half = 1; half <= extent / 2; half *= 2) {
    Value isLonger = nn.cast(nn.binary(BinaryKind::GreaterEqual, length, static_cast<double>(2 * half)), i32);
    parts.level = nn.add(parts.level, isLonger);
    run = nn.add(run, nn.mul(isLonger, static_cast<double>(half)));
  }
  if (length) // for an extent of 1, the level is still a scalar
    parts.level = nn.broadcast(parts.level, getShape(length));
  // An empty bin also reads a valid element. Its value is replaced later.
  parts.first = nn.binary(BinaryKind::Min, low, static_cast<double>(extent - 1));
  parts.last = nn.binary(BinaryKind::Max, nn.sub(high, run), 0);
  return parts;
}

} // namespace

//===----------------------------------------------------------------------===//
// Regions: four entries of the tables for each bin
//===----------------------------------------------------------------------===//

Value poolRegionMaxima(NnBuilder &nn, Value images, Value regions, Ints bins, double scale) {
  if (!images || !regions)
    return {};
  Ints shape = getShape(images);
  const int64_t count = getShape(regions)[0];
  const auto width = static_cast<double>(shape[2]), height = static_cast<double>(shape[1]);
  regions = nn.cast(regions, nn.types().getF32Type());
  Value corners = roundAwayFromZero(nn, nn.mul(regions, scale));
  auto takeColumn = [&](Value x, int64_t column) { return nn.slice(x, 1, column, 1); };
  Parts rows = divide(nn, takeColumn(corners, 2), takeColumn(corners, 4), bins[0], shape[1]);
  Parts columns = divide(nn, takeColumn(corners, 1), takeColumn(corners, 3), bins[1], shape[2]);
  auto ofRow = [&](Value x) { return x ? nn.reshape(x, {count, getShape(x).back(), 1}) : Value(); };
  auto ofColumn = [&](Value x) { return x ? nn.reshape(x, {count, 1, getShape(x).back()}) : Value(); };

  Value image = clamp(nn, takeColumn(regions, 0), 0, static_cast<double>(shape[0] - 1));
  image = nn.reshape(nn.cast(image, nn.types().getI32Type()), {count, 1, 1});
  Value level = nn.add(nn.mul(ofRow(rows.level), static_cast<double>(countLevels(shape[2]))), ofColumn(columns.level));
  Value base = nn.add(nn.mul(level, static_cast<double>(shape[0])), image);
  Value table = makeTableOfMaxima(nn, images), result;
  for (Value row : {rows.first, rows.last})
    for (Value column : {columns.first, columns.last}) {
      Value entry = nn.add(nn.mul(nn.add(nn.mul(base, height), ofRow(row)), width), ofColumn(column));
      Value maxima = nn.gather(table, entry, 0);
      result = result ? nn.binary(BinaryKind::Max, result, maxima) : maxima;
    }
  Value isEmpty = nn.binary(BinaryKind::Or, ofRow(rows.isEmpty), ofColumn(columns.isEmpty));
  return nn.select(nn.reshape(isEmpty, {count, bins[0], bins[1], 1}), nn.scalar(result, 0), result);
}

} // namespace nacre::importer
