// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/WrittenTensor.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-form"

using namespace mlir;

namespace nacre::codegen {

StridedSlice WrittenTensor::hull() const {
  StridedSlice hull = slice;
  for (auto [size, stride, step] : llvm::zip_equal(hull.shape, hull.strides, steps)) {
    size = (size - 1) * step + 1;
    stride /= step;
  }
  return hull;
}

namespace {

LogicalResult misfit(Operation *op, const char *reason) {
  LDBG() << op->getName() << ": " << reason;
  return failure();
}

FailureOr<StridedSlice> insertedSlice(StridedSlice slice, tensor::InsertSliceOp insert) {
  if (ShapedType::isDynamicShape(insert.getStaticOffsets()) || ShapedType::isDynamicShape(insert.getStaticStrides()))
    return failure();
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  SmallVector<int64_t> strides;
  for (auto [axis, offset] : llvm::enumerate(insert.getStaticOffsets())) {
    slice.offset += offset * slice.strides[axis];
    if (!dropped[axis])
      strides.push_back(slice.strides[axis] * insert.getStaticStride(axis));
  }
  slice.strides = std::move(strides);
  slice.shape.assign(insert.getSourceType().getShape().begin(), insert.getSourceType().getShape().end());
  return slice;
}

/// Returns the steps of `insert` along the axes that are not dropped. If `insert` is null, the steps are 1.
SmallVector<int64_t> stepsOf(tensor::InsertSliceOp insert, size_t rank) {
  SmallVector<int64_t> steps;
  if (insert)
    for (auto [axis, step] : llvm::enumerate(insert.getStaticStrides()))
      if (!insert.getDroppedDims().test(axis))
        steps.push_back(step);
  steps.resize(rank, 1);
  return steps;
}

/// Reads a value, or a value that is inserted into a filled region. The rest of the filled region is the halo. `into`
/// inserts the region into a storage; null if the region is a whole storage.
FailureOr<WrittenValue> readTarget(const StridedSlice &region, Value value, tensor::InsertSliceOp into) {
  WrittenValue target;
  target.tensor.steps = stepsOf(into, region.shape.size());
  target.tensor.slice = region;
  target.tensor.elementType = cast<RankedTensorType>(value.getType()).getElementType();
  target.tensor.haloLow.assign(region.shape.size(), 0);
  target.tensor.haloHigh.assign(region.shape.size(), 0);
  if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    target.tensor.haloValue = constantOfFill(insert.getDest());
    FailureOr<StridedSlice> interior = insertedSlice(region, insert);
    if (!target.tensor.haloValue || failed(interior) || interior->shape.size() != region.shape.size())
      return misfit(insert, "a halo must be a constant around a static interior");
    target.tensor.slice = *interior;
    target.tensor.steps = stepsOf(insert, interior->shape.size());
    const StridedSlice hull = target.tensor.hull();
    for (auto [axis, low] : llvm::enumerate(insert.getStaticOffsets())) {
      target.tensor.haloLow[axis] = low;
      target.tensor.haloHigh[axis] = region.shape[axis] - low - hull.shape[axis];
    }
    value = insert.getSource();
  }
  target.value = value;
  return target;
}

/// Reads the new contents of `storage`: either tensors that are inserted one after another, or one tensor that covers
/// it.
LogicalResult readStorage(BlockArgument storage, Value contents, SmallVectorImpl<WrittenValue> &written) {
  const StridedSlice whole = *findSlice(storage);
  while (contents != storage) {
    auto insert = contents.getDefiningOp<tensor::InsertSliceOp>();
    const bool isWhole = !insert || constantOfFill(insert.getDest());
    FailureOr<StridedSlice> slice = isWhole ? FailureOr<StridedSlice>(whole) : insertedSlice(whole, insert);
    FailureOr<WrittenValue> target = failure();
    if (succeeded(slice))
      target = isWhole ? readTarget(*slice, contents, {}) : readTarget(*slice, insert.getSource(), insert);
    if (failed(target))
      return misfit(contents.getDefiningOp(), "a target must be a static slice of its storage");
    written.push_back(std::move(*target));
    if (isWhole)
      return success();
    contents = insert.getDest();
  }
  return success();
}

} // namespace

TypedAttr constantOfFill(Value value) {
  TypedAttr constant;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    matchPattern(fill.getInputs().front(), m_Constant(&constant));
  return constant;
}

FailureOr<SmallVector<WrittenValue, 1>> findWritten(plan::KernelOp kernel) {
  SmallVector<WrittenValue, 1> written;
  auto yield = cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
  for (auto [argument, value] : llvm::zip_equal(kernel.getOutputs(), yield.getValues()))
    if (failed(readStorage(argument, value, written)))
      return failure();
  return written;
}

} // namespace nacre::codegen
