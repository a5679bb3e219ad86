// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  evaluates operators of constants that move elements, and resampling, which may weight them.
// How:   each operator is a table of source offsets for every axis of the result (IndexedCopy.h). Weighted sums are
//        added up in double, axis by axis, and rounded once.

#include "dialects/StoredBytes.h"
#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/Evaluators.h"

#include <cstring>

using namespace mlir;

namespace nacre::nn {

namespace {

/// Moves a splat without tables. All its elements are equal, and it may be too large for tables, which have an entry
/// for each position of an axis.
ElementsAttr moveSplat(RankedTensorType type, const ConstantView &view) {
  ConstantBuilder builder(type, /*splat=*/true);
  std::memcpy(builder.at(0), view.at(0), builder.getElementBytes());
  return std::move(builder).take();
}

/// Returns the result of `type`. Each element is in `view` at the sum of the offsets in the tables.
ElementsAttr moveElements(RankedTensorType type, const ConstantView &view, const OffsetTables &tables,
                          ArrayRef<int64_t> shape) {
  ConstantBuilder builder(type);
  copyIndexed(builder.at(0), rowMajorStrides(shape), view.at(0), tables, builder.getElementBytes());
  return std::move(builder).take();
}

} // namespace

ElementsAttr TransposeOp::evaluate(Views views) {
  if (views[0].isSplat())
    return moveSplat(getType(), views[0]);
  SmallVector<int64_t> strides = rowMajorStrides(views[0].getShape());
  OffsetTables tables;
  for (int64_t axis : getPermutation())
    tables.push_back(nn::walk(views[0].getShape()[axis], strides[axis]));
  return moveElements(getType(), views[0], tables, getType().getShape());
}

ElementsAttr BroadcastOp::evaluate(Views views) {
  if (views[0].isSplat())
    return moveSplat(getType(), views[0]);
  OffsetTables tables;
  ArrayRef<int64_t> shape = getType().getShape();
  for (auto [dim, stride] : llvm::zip(shape, broadcastStrides(views[0].getShape(), shape)))
    tables.push_back(nn::walk(dim, stride));
  return moveElements(getType(), views[0], tables, shape);
}

ElementsAttr SliceOp::evaluate(Views views) {
  if (views[0].isSplat())
    return moveSplat(getType(), views[0]);
  OffsetTables tables;
  for (auto [start, size, step, stride] :
       llvm::zip(getStarts(), getSizes(), getSteps(), rowMajorStrides(views[0].getShape())))
    tables.push_back(nn::walk(size, step * stride, start * stride));
  return moveElements(getType(), views[0], tables, getType().getShape());
}

ElementsAttr GatherOp::evaluate(Views views) {
  if (views[0].isSplat())
    return moveSplat(getType(), views[0]);
  ArrayRef<int64_t> shape = views[0].getShape();
  SmallVector<int64_t> strides = rowMajorStrides(shape), flat;
  int64_t axis = getAxis(), extent = shape[axis];
  OffsetTables tables;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (int64_t(i) != axis) {
      tables.push_back(nn::walk(dim, strides[i]));
    } else {
      tables.push_back({});
      for (int64_t index : views[1].readIntegers())
        tables.back().push_back(std::clamp(index < 0 ? index + extent : index, int64_t(0), extent - 1) * strides[i]);
    }
    flat.push_back(tables.back().size());
  }
  return moveElements(getType(), views[0], tables, flat);
}

ElementsAttr ConcatOp::evaluate(Views views) {
  RankedTensorType type = getType();
  ConstantBuilder builder(type);
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  int64_t begin = 0;
  for (const ConstantView &view : views) {
    SmallVector<int64_t> own = rowMajorStrides(view.getShape());
    OffsetTables tables;
    for (auto [dim, stride] : llvm::zip(view.getShape(), own))
      tables.push_back(nn::walk(dim, view.isSplat() ? 0 : stride));
    copyIndexed(builder.at(begin * strides[getAxis()]), strides, view.at(0), tables, builder.getElementBytes());
    begin += view.getShape()[getAxis()];
  }
  return std::move(builder).take();
}

/// Returns the index in the operand of index `i` of a padded axis. Only in constant mode, it may be outside of the
/// operand.
static int64_t sourceOf(PadMode mode, int64_t i, int64_t extent) {
  switch (mode) {
  case PadMode::Constant:
    return i;
  case PadMode::Edge:
    return std::clamp<int64_t>(i, 0, extent - 1);
  case PadMode::Wrap:
    return (i + extent) % extent;
  case PadMode::Reflect:
    return i < 0 ? -i : i >= extent ? 2 * (extent - 1) - i : i;
  case PadMode::Symmetric:
    return i < 0 ? -i - 1 : i >= extent ? 2 * extent - 1 - i : i;
  }
  llvm_unreachable("all modes are above");
}

ElementsAttr PadOp::evaluate(Views views) {
  RankedTensorType type = getType();
  ConstantBuilder builder(type);
  if (getMode() == PadMode::Constant) {
    if (auto value = dyn_cast<FloatAttr>(getValue()))
      builder.write(0, SmallVector<double, 0>(type.getNumElements(), value.getValueAsDouble()));
    else
      builder.write(
          0, SmallVector<int64_t, 0>(type.getNumElements(), cast<IntegerAttr>(getValue()).getValue().getSExtValue()));
  }
  // In constant mode, only elements of the operand are copied, to the result from offset `begin` on.
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape()), own = rowMajorStrides(views[0].getShape());
  OffsetTables tables;
  int64_t begin = 0;
  for (auto [axis, extent, low] : llvm::enumerate(views[0].getShape(), getLow())) {
    tables.push_back({});
    for (int64_t i = 0; i < type.getDimSize(axis); ++i) {
      int64_t from = sourceOf(getMode(), i - low, extent);
      if (from >= 0 && from < extent)
        tables.back().push_back(views[0].isSplat() ? 0 : from * own[axis]);
      else if (tables.back().empty())
        begin += strides[axis];
    }
  }
  if (llvm::none_of(tables, [](const auto &table) { return table.empty(); }))
    copyIndexed(builder.at(begin), strides, views[0].at(0), tables, builder.getElementBytes());
  return std::move(builder).take();
}

//===----------------------------------------------------------------------===//
// Resampling
//===----------------------------------------------------------------------===//

/// Resamples axis `axis` of `values`, which are row-major with shape `shape`. Sets `shape` to the shape of the result.
static SmallVector<double, 0> resampleAxis(ArrayRef<double> values, SmallVectorImpl<int64_t> &shape, int64_t axis,
                                           DenseElementsAttr indices, DenseElementsAttr weights) {
  int64_t positions = indices.getType().getDimSize(0), taps = indices.getType().getDimSize(1), before = 1, inner = 1;
  for (auto [i, dim] : llvm::enumerate(shape))
    (int64_t(i) < axis ? before : inner) *= int64_t(i) == axis ? 1 : dim;
  auto from = llvm::to_vector<0>(indices.getValues<int32_t>());
  auto by = llvm::to_vector<0>(weights.getValues<float>());
  SmallVector<double, 0> result(before * positions * inner, 0);
  for (int64_t outer = 0; outer < before; ++outer)
    for (int64_t entry = 0; entry < positions * taps; ++entry) {
      double *to = result.data() + (outer * positions + entry / taps) * inner;
      const double *source = values.data() + (outer * shape[axis] + from[entry]) * inner;
      for (int64_t i = 0; i < inner; ++i)
        to[i] += by[entry] * source[i];
    }
  shape[axis] = positions;
  return result;
}

ElementsAttr ResampleOp::evaluate(Views views) {
  const ConstantView &view = views[0];
  if (keepsSplats()) {
    if (view.isSplat())
      return moveSplat(getType(), view);
    SmallVector<int64_t> strides = rowMajorStrides(view.getShape());
    OffsetTables tables;
    for (auto [axis, dim] : llvm::enumerate(view.getShape()))
      tables.push_back(nn::walk(dim, strides[axis]));
    for (auto [axis, indices] : llvm::zip(getAxes(), getIndices())) {
      tables[axis].clear();
      for (int32_t index : cast<DenseElementsAttr>(indices).getValues<int32_t>())
        tables[axis].push_back(index * strides[axis]);
    }
    return moveElements(getType(), view, tables, getType().getShape());
  }
  SmallVector<int64_t> shape(view.getShape());
  SmallVector<double, 0> values(view.getType().getNumElements());
  view.read(0, 1, int64_t(values.size()), values.data());
  for (auto [axis, indices, weights] : llvm::zip(getAxes(), getIndices(), getWeights()))
    values = resampleAxis(values, shape, axis, cast<DenseElementsAttr>(indices), cast<DenseElementsAttr>(weights));
  ConstantBuilder builder(getType());
  builder.write(0, values);
  return std::move(builder).take();
}

ElementsAttr BitcastOp::evaluate(Views views) {
  const ConstantView &view = views[0];
  Type from = view.getElementType(), to = getType().getElementType();
  const bool isSplat = view.isSplat() && keepsShape();
  const int64_t count = isSplat ? 1 : view.getType().getNumElements();
  ConstantBuilder builder(getType(), isSplat);
  const int64_t resultCount = isSplat ? 1 : getType().getNumElements();
  // The bits of all elements follow one another, as in the model's file.
  const int64_t elementBytes = bytesOfElement(from), resultBytes = builder.getElementBytes();
  SmallVector<char, 0> bits(count * elementBytes);
  for (int64_t index = 0; index < count; ++index)
    std::memcpy(bits.data() + index * elementBytes, view.at(index), elementBytes);
  if (isPacked(from)) {
    SmallVector<char, 0> elements(bits);
    bits.resize(llvm::divideCeil(count, elementsPerByte(from)));
    packElements(from, elements, bits);
  }
  if (isPacked(to))
    unpackElements(to, bits, MutableArrayRef(builder.at(0), resultCount));
  else
    std::memcpy(builder.at(0), bits.data(), resultCount * resultBytes);
  return std::move(builder).take();
}

/// Evaluates a compaction. Exporters write ranges as the indices of a constant's nonzero elements.
ElementsAttr CompactOp::evaluate(Views views) {
  SmallVector<int64_t> mask(views[0].getType().getNumElements()), indices;
  views[0].read(0, 1, int64_t(mask.size()), mask.data());
  for (auto [index, isTrue] : llvm::enumerate(mask))
    if (isTrue)
      indices.push_back(int64_t(index));
  indices.resize(mask.size(), int64_t(mask.size()));
  ConstantBuilder builder(getType());
  builder.write(0, ArrayRef<int64_t>(indices));
  return std::move(builder).take();
}

} // namespace nacre::nn
