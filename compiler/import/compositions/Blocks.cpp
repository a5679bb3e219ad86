// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves blocks of neighbouring elements to the channels or to the batch, and back.

#include "compiler/import/compositions/Blocks.h"

using namespace mlir;

namespace nacre::importer {

Value spaceToDepth(NnBuilder &nn, Value x, int64_t block) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  const int64_t batch = shape[0], rows = shape[1] / block, columns = shape[2] / block, channels = shape[3];
  Value blocks = nn.transpose(nn.reshape(x, {batch, rows, block, columns, block, channels}), {0, 1, 3, 2, 4, 5});
  return nn.reshape(blocks, {batch, rows, columns, block * block * channels});
}

Value depthToSpace(NnBuilder &nn, Value x, int64_t block) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  const int64_t batch = shape[0], rows = shape[1], columns = shape[2], channels = shape[3] / (block * block);
  Value blocks = nn.transpose(nn.reshape(x, {batch, rows, columns, block, block, channels}), {0, 1, 3, 2, 4, 5});
  return nn.reshape(blocks, {batch, rows * block, columns * block, channels});
}

Value spaceToBatch(NnBuilder &nn, Value x, Ints blocks) {
  if (!x)
    return {};
  const auto axes = static_cast<int64_t>(blocks.size()), rank = getRank(x);
  SmallVector<int64_t> split{getShape(x)[0]}, permutation, batches{0}, merged(getShape(x));
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    split.append({getShape(x)[axis + 1] / block, block});
    permutation.push_back(2 * static_cast<int64_t>(axis) + 2);
    batches.push_back(2 * static_cast<int64_t>(axis) + 1);
    merged[0] *= block;
    merged[axis + 1] /= block;
  }
  permutation.append(batches);
  permutation.append(axisRange(2 * axes + 1, rank + axes));
  llvm::append_range(split, getShape(x).drop_front(axes + 1));
  return nn.reshape(nn.transpose(nn.reshape(x, split), permutation), merged);
}

Value batchToSpace(NnBuilder &nn, Value x, Ints blocks) {
  if (!x)
    return {};
  const auto axes = static_cast<int64_t>(blocks.size()), rank = getRank(x);
  SmallVector<int64_t> split(blocks), permutation{axes}, merged(getShape(x));
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    merged[0] /= block;
    merged[axis + 1] *= block;
    permutation.append({axes + 1 + static_cast<int64_t>(axis), static_cast<int64_t>(axis)});
  }
  split.push_back(merged[0]);
  llvm::append_range(split, getShape(x).drop_front());
  permutation.append(axisRange(2 * axes + 1, rank + axes));
  return nn.reshape(nn.transpose(nn.reshape(x, split), permutation), merged);
}

Value extractWindows(NnBuilder &nn, Value x, Ints kernel, Ints strides, Ints dilations) {
  if (!x)
    return {};
  const size_t axes = kernel.size();
  SmallVector<int64_t> starts(axes + 2, 0), sizes(getShape(x)), steps(axes + 2, 1), cell(axes, 0);
  for (size_t axis = 0; axis < axes; ++axis) {
    sizes[axis + 1] = (sizes[axis + 1] - (kernel[axis] - 1) * dilations[axis] - 1) / strides[axis] + 1;
    steps[axis + 1] = sizes[axis + 1] > 1 ? strides[axis] : 1;
  }
  SmallVector<Value> cells;
  while (true) {
    for (size_t axis = 0; axis < axes; ++axis)
      starts[axis + 1] = cell[axis] * dilations[axis];
    cells.push_back(nn.slice(x, starts, sizes, steps));
    // Advances to the next cell. The last axis is innermost.
    size_t axis = axes;
    while (axis > 0 && ++cell[axis - 1] == kernel[axis - 1])
      cell[--axis] = 0;
    if (axis == 0)
      return nn.concat(cells, static_cast<int64_t>(axes) + 1);
  }
}

} // namespace nacre::importer
