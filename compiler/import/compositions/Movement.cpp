// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/Movement.h"

#include "compiler/import/compositions/Tables.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;

Value reverse(NnBuilder &nn, Value x, Ints axes) {
  if (!x)
    return {};
  SmallVector<int64_t> starts(getRank(x), 0), steps(getRank(x), 1);
  for (int64_t axis : axes)
    if (getShape(x)[axis] > 1) {
      starts[axis] = getShape(x)[axis] - 1;
      steps[axis] = -1;
    }
  return nn.slice(x, starts, getShape(x), steps);
}

Value fillOpenAxes(NnBuilder &nn, Value x, Value filler) {
  if (!x || !filler)
    return {};
  for (auto [axis, count] : llvm::enumerate(nn.getCounts(x)))
    if (count && x)
      x = nn.fillUp(x, static_cast<int64_t>(axis), filler);
  return x;
}

Value fillOpenAxes(NnBuilder &nn, Value x, double filler) { return fillOpenAxes(nn, x, nn.scalar(x, filler)); }

Value roll(NnBuilder &nn, Value x, int64_t axis, int64_t shift) {
  if (!x)
    return {};
  int64_t extent = getShape(x)[axis];
  int64_t before = extent ? (shift % extent + extent) % extent : 0;
  if (before == 0)
    return x;
  Value end = nn.slice(x, axis, extent - before, before), begin = nn.slice(x, axis, 0, extent - before);
  return nn.concat({end, begin}, axis);
}

Value padWith(NnBuilder &nn, Value x, Ints low, Ints high, Value value) {
  for (auto [axis, before, after] : llvm::enumerate(low, high)) {
    SmallVector<Value> parts;
    auto add = [&, axis = axis](int64_t count) {
      SmallVector<int64_t> shape(getShape(x));
      shape[axis] = count;
      parts.push_back(nn.broadcast(value, shape));
    };
    if (!x)
      return {};
    if (before)
      add(before);
    parts.push_back(x);
    if (after)
      add(after);
    if (parts.size() > 1)
      x = nn.concat(parts, static_cast<int64_t>(axis));
  }
  return x;
}

Value reverseSequence(NnBuilder &nn, Value x, Value lengths, int64_t batchAxis, int64_t timeAxis) {
  if (!x || !lengths)
    return {};
  if (std::max(batchAxis, timeAxis) > 1) { // moves both axes to the front
    SmallVector<int64_t> front = {batchAxis, timeAxis};
    for (int64_t axis : axisRange(0, getRank(x)))
      if (axis != batchAxis && axis != timeAxis)
        front.push_back(axis);
    Value reversed = reverseSequence(nn, nn.transpose(x, front), lengths, 0, 1);
    return nn.transpose(reversed, invertPermutationVector(front));
  }
  SmallVector<int64_t> shape(getShape(x));
  int64_t batch = shape[batchAxis], steps = shape[timeAxis];
  // Returns indices along an axis, as a column or a row of the matrix of all sequences.
  auto along = [&](int64_t axis, Value numbers) {
    return nn.reshape(numbers, axis == 0 ? Ints{shape[0], 1} : Ints{shape[1]});
  };
  Value step = along(timeAxis, nn.counting(steps)), row = along(batchAxis, nn.counting(batch));
  Value length = along(batchAxis, nn.cast(lengths, nn.types().getI64Type()));
  length = nn.binary(BinaryKind::Min, length, static_cast<double>(steps));
  Value isReversed = nn.binary(BinaryKind::Less, step, length);
  Value from = nn.select(isReversed, nn.sub(nn.add(length, -1), step), step);
  Value index = timeAxis == 0 ? nn.add(nn.mul(from, static_cast<double>(batch)), row)
                              : nn.add(nn.mul(row, static_cast<double>(steps)), from);
  SmallVector<int64_t> flat(Ints(shape).drop_front());
  flat.front() = batch * steps;
  return nn.gather(nn.reshape(x, flat), index, 0);
}

Value centerCropOrPad(NnBuilder &nn, Value x, Ints sizes) {
  if (!x)
    return {};
  SmallVector<int64_t> starts, kept, steps(sizes.size(), 1), low, high;
  for (auto [dim, size] : llvm::zip_equal(getShape(x), sizes)) {
    starts.push_back(dim > size ? (dim - size) / 2 : 0);
    kept.push_back(std::min(dim, size));
    low.push_back((size - kept.back()) / 2);
    high.push_back(size - kept.back() - low.back());
  }
  return nn.pad(nn::PadMode::Constant, nn.slice(x, starts, kept, steps), low, high, 0);
}

Value diagonalMask(NnBuilder &nn, int64_t rows, int64_t columns) {
  auto type = RankedTensorType::get({rows, columns}, nn.types().getI1Type());
  return makeTable<int64_t>(nn, type,
                            [&](int64_t index) { return static_cast<int64_t>(index / columns == index % columns); });
}

Value setDiagonal(NnBuilder &nn, Value matrices, Value diagonal) {
  if (!matrices || !diagonal)
    return {};
  Ints shape = getShape(matrices);
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), length = std::min(rows, columns);
  // A row of the result gathers from a row that has the length of the diagonal.
  SmallVector<int64_t> asRow(getShape(diagonal));
  asRow.insert(asRow.end() - 1, 1);
  Value row = nn.reshape(diagonal, asRow);
  if (length < columns) {
    SmallVector<int64_t> none(shape.size(), 0), behind(shape.size(), 0);
    behind.back() = columns - length;
    row = nn.pad(nn::PadMode::Constant, row, none, behind, 0);
  }
  return nn.select(diagonalMask(nn, rows, columns), row, matrices);
}

Value takeDiagonal(NnBuilder &nn, Value matrices) {
  if (!matrices)
    return {};
  Ints shape = getShape(matrices);
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), length = std::min(rows, columns);
  SmallVector<int64_t> flat(shape.drop_back());
  flat.back() = rows * columns;
  Value places = makeTable<int64_t>(nn, RankedTensorType::get({length}, nn.types().getI64Type()),
                                    [&](int64_t index) { return index * (columns + 1); });
  return nn.gather(nn.reshape(matrices, flat), places, static_cast<int64_t>(shape.size()) - 2);
}

} // namespace nacre::importer
