// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Resampling.h. One operator resamples several axes if an element reads only a few others. If it reads many, each
// axis has a separate operator, and axes that become smaller come first. If it reads more than an operator allows, the
// axis is multiplied by a matrix.

#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/messages/TypeNames.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <utility>

using namespace mlir;

namespace nacre::importer {

namespace {

/// Largest number of elements that one element may read over all axes of an operator: the number for a bicubic image.
constexpr int64_t maxReadsTogether = 16;
/// Largest number of entries of a table. No image has as many positions, and every machine that can compile has enough
/// memory.
constexpr int64_t maxEntries = int64_t(1) << 24;

/// Resamples `axes`, which may be in any order, by one operator.
Value resampleTogether(NnBuilder &nn, Value x, SmallVector<const ResampledAxis *> axes) {
  llvm::sort(axes, [](const ResampledAxis *a, const ResampledAxis *b) { return a->axis < b->axis; });
  SmallVector<int64_t> numbers;
  SmallVector<Attribute> indices, weights;
  for (const ResampledAxis *axis : axes) {
    const AxisTable &table = axis->table;
    int64_t shape[] = {table.getPositions(), table.taps};
    numbers.push_back(axis->axis);
    indices.push_back(DenseElementsAttr::get(RankedTensorType::get(shape, nn.types().getI32Type()),
                                             ArrayRef<int32_t>(table.indices)));
    weights.push_back(
        DenseElementsAttr::get(RankedTensorType::get(shape, nn.types().getF32Type()), ArrayRef<float>(table.weights)));
  }
  return nn.resample(x, numbers, indices, weights);
}

/// Multiplies the axis by its table as a matrix. The last axis becomes the columns of one matrix. Another axis becomes
/// the rows of matrices.
Value multiplyByTable(NnBuilder &nn, Value x, const ResampledAxis &axis) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  int64_t positions = axis.table.getPositions(), extent = shape[axis.axis], before = 1, inner = 1;
  if (!allowsTable(nn, positions, static_cast<double>(extent)))
    return {};
  SmallVector<float, 0> matrix(positions * extent, 0);
  for (auto [entry, index] : llvm::enumerate(axis.table.indices))
    matrix[static_cast<int64_t>(entry) / axis.table.taps * extent + index] += axis.table.weights[entry];
  for (auto [number, dim] : llvm::enumerate(shape))
    if (static_cast<int64_t>(number) != axis.axis)
      (static_cast<int64_t>(number) < axis.axis ? before : inner) *= dim;
  auto type = RankedTensorType::get({positions, extent}, nn.types().getF32Type());
  Value table = nn.cast(nn.constant(DenseElementsAttr::get(type, ArrayRef<float>(matrix))), getElementType(x));
  shape[axis.axis] = positions;
  Value product = inner == 1 ? nn.matmul(nn.reshape(x, {before, extent}), nn.transpose(table, {1, 0}))
                             : nn.matmul(table, nn.reshape(x, {before, extent, inner}));
  return nn.reshape(product, shape);
}

} // namespace

bool allowsTable(NnBuilder &nn, int64_t positions, double taps) {
  double entries = static_cast<double>(positions) * taps;
  if (entries <= maxEntries)
    return nn.allowsConstant(static_cast<int64_t>(entries), sizeof(int32_t) + sizeof(float));
  nn.error() << "an axis must be resampled by a table of " << maxEntries << " entries at most, but has " << positions
             << " positions of " << describeCount(taps, "element") << " each";
  return false;
}

Value resample(NnBuilder &nn, Value x, ArrayRef<ResampledAxis> axes) {
  if (!x)
    return {};
  Ints input = getShape(x);
  SmallVector<const ResampledAxis *> open;
  for (const ResampledAxis &axis : axes)
    if (!axis.table.isIdentity(input[axis.axis]))
      open.push_back(&axis);
  Type type = getElementType(x);
  bool isWeighted = llvm::any_of(open, [](const ResampledAxis *axis) { return !axis->table.isMove(); });
  if (isWeighted && !isFloat(x))
    x = nn.cast(x, nn.types().getF32Type());
  llvm::stable_sort(open, [&](const ResampledAxis *a, const ResampledAxis *b) {
    auto growth = [&](const ResampledAxis *axis) {
      return static_cast<double>(axis->table.getPositions()) /
             static_cast<double>(std::max<int64_t>(input[axis->axis], 1));
    };
    return growth(a) < growth(b);
  });
  SmallVector<const ResampledAxis *> together;
  int64_t reads = 1;
  auto flush = [&] {
    if (x && !together.empty())
      x = resampleTogether(nn, x, std::exchange(together, {}));
    reads = 1;
  };
  for (const ResampledAxis *axis : open) {
    if (axis->table.taps > nn::ResampleOp::maxReads) {
      flush();
      x = x ? multiplyByTable(nn, x, *axis) : Value();
      continue;
    }
    if (reads * axis->table.taps > maxReadsTogether)
      flush();
    together.push_back(axis);
    reads *= axis->table.taps;
  }
  flush();
  return x ? nn.cast(x, type) : Value();
}

} // namespace nacre::importer
