// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/Scatters.h"

#include "compiler/import/compositions/Movement.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ScatterKind;

namespace {

int64_t product(Ints sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Returns `count` integers: 0, step, 2 * step, ...
Value countUp(NnBuilder &nn, int64_t count, int64_t step = 1) {
  SmallVector<int64_t> numbers(count);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = i * step;
  return nn.integers(numbers);
}

/// Returns the index in the image that tap `tap` of window `window` reads. Returns the number of elements if the tap is
/// in the padding. Taps and windows are counted in row-major order.
int64_t findTap(const ColumnWindows &windows, int64_t tap, int64_t window) {
  int64_t index = 0, stride = 1;
  for (size_t axis = windows.image.size(); axis-- > 0;) {
    const int64_t count = windows.count(axis);
    const int64_t at = window % count * windows.strides[axis] - windows.pads[axis] +
                       tap % windows.kernel[axis] * windows.dilations[axis];
    if (at < 0 || at >= windows.image[axis])
      return product(windows.image);
    index += at * stride;
    stride *= windows.image[axis];
    tap /= windows.kernel[axis];
    window /= count;
  }
  return index;
}

} // namespace

Value countFromFront(NnBuilder &nn, Value x, Value indices, int64_t first, int64_t axes) {
  if (!x || !indices)
    return {};
  Value sizes = nn.cast(nn.sizesOf(x, first, axes), getElementType(indices));
  return nn.select(nn.binary(BinaryKind::Less, indices, 0.0), nn.add(indices, sizes), indices);
}

Value scatterOpen(NnBuilder &nn, Value x, Value indices, Value updates, int64_t axis, int64_t coordinates,
                  llvm::function_ref<Value(Value, Value, Value)> scatter) {
  if (!x || !indices || !updates)
    return {};
  const SmallVector<Size> sizes = nn.getSizes(x);
  SmallVector<int64_t> behind(coordinates, 0), low(sizes.size(), 0), high(low);
  behind.front() = sizes[axis].bound;
  high[axis] = 1;
  indices = fillOpenAxes(nn, countFromFront(nn, x, indices, axis, coordinates),
                         nn.cast(nn.integers(behind), getElementType(indices)));
  Value longer = nn.pad(nn::PadMode::Constant, fillOpenAxes(nn, x, 0), low, high, 0);
  Value written = scatter(longer, indices, fillOpenAxes(nn, updates, 0));
  return nn.limitTo(nn.slice(written, axis, 0, sizes[axis].bound), sizes);
}

Value unpool(NnBuilder &nn, Value x, Value indices, Ints shape) {
  if (!x || !indices)
    return {};
  const int64_t planes = getShape(x)[0] * getShape(x)[1], size = product(shape),
                kept = product(getShape(x).drop_front(2));
  indices = nn.reshape(nn.cast(indices, nn.types().getI64Type()), {planes, kept});
  Value within = nn.sub(indices, nn.reshape(countUp(nn, planes, size), {planes, 1}));
  Value zeros = nn.splat(RankedTensorType::get({planes, size}, getElementType(x)), 0);
  Value filled =
      nn.infer<nn::ScatterElementsOp>(ScatterKind::Set, zeros, within, nn.reshape(x, {planes, kept}), /*axis=*/1);
  SmallVector<int64_t> whole = {getShape(x)[0], getShape(x)[1]};
  whole.append(shape.begin(), shape.end());
  return nn.reshape(filled, whole);
}

Value columnsToImage(NnBuilder &nn, Value columns, const ColumnWindows &windows) {
  if (!columns)
    return {};
  const int64_t batch = getShape(columns)[0], taps = product(windows.kernel), count = getShape(columns)[2];
  const int64_t channels = getShape(columns)[1] / taps, size = product(windows.image);
  SmallVector<int64_t> places;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t window = 0; window < count; ++window)
      places.push_back(findTap(windows, tap, window));
  const auto updates = int64_t(places.size()), planes = batch * channels;
  Value zeros = nn.splat(RankedTensorType::get({size, planes}, getElementType(columns)), 0);
  // All planes of a position are adjacent.
  Value rows = nn.transpose(nn.reshape(columns, {planes, updates}), {1, 0});
  Value sums = nn.infer<nn::ScatterNdOp>(ScatterKind::Add, zeros, nn.reshape(nn.integers(places), {updates, 1}), rows);
  SmallVector<int64_t> whole = {batch, channels};
  whole.append(windows.image.begin(), windows.image.end());
  return nn.reshape(nn.transpose(sums, {1, 0}), whole);
}

Value placeRows(NnBuilder &nn, Value cache, Value update, Value begins, int64_t axis, bool circular) {
  if (!cache || !update || !begins)
    return {};
  // These are the coordinates of every row of `update`. Axes before `axis` keep their index. Along `axis`, indices are
  // relative to the begin of the update.
  Ints rows = getShape(update).take_front(axis + 1);
  SmallVector<int64_t> shape(rows);
  shape.push_back(1);
  SmallVector<Value> coordinates;
  for (int64_t at = 0; at <= axis; ++at) {
    Value index = nn.alignToAxis(countUp(nn, rows[at]), at, axis + 2);
    if (at == axis) {
      index = nn.add(nn.alignToAxis(nn.cast(begins, nn.types().getI64Type()), 0, axis + 2), index);
      if (circular)
        index = nn.binary(BinaryKind::Mod, index, double(getShape(cache)[axis]));
    }
    coordinates.push_back(index ? nn.broadcast(index, shape) : Value());
  }
  return nn.infer<nn::ScatterNdOp>(ScatterKind::Set, cache, nn.concat(coordinates, axis + 1), update);
}

} // namespace nacre::importer
