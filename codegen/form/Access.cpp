// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. slices; 2. accesses. Maps are flattened to coefficients, so the order of terms does not matter.

#include "codegen/form/Access.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen {

//===----------------------------------------------------------------------===//
// 1. Slices
//===----------------------------------------------------------------------===//

namespace {

StridedSlice wholeStorage(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  StridedSlice slice;
  slice.argument = argument.getArgNumber();
  slice.shape.assign(type.getShape().begin(), type.getShape().end());
  slice.strides.assign(slice.shape.size(), 1);
  for (int64_t axis = int64_t(slice.shape.size()) - 2; axis >= 0; --axis)
    slice.strides[axis] = slice.strides[axis + 1] * slice.shape[axis + 1];
  return slice;
}

/// Returns the static slice that `op` takes from `slice`. Axes that the result's type drops have size one.
FailureOr<StridedSlice> sliceOf(StridedSlice slice, tensor::ExtractSliceOp op) {
  // A slice of a padded tensor would also need a slice of the padding. verify-kernels allows no such slices.
  if (slice.padding || !op.getType().hasStaticShape() || ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> strides;
  for (auto [axis, offset] : llvm::enumerate(op.getStaticOffsets())) {
    slice.offset += offset * slice.strides[axis];
    if (!dropped[axis])
      strides.push_back(slice.strides[axis] * op.getStaticStride(axis));
  }
  slice.strides = std::move(strides);
  slice.shape.assign(op.getType().getShape().begin(), op.getType().getShape().end());
  return slice;
}

FailureOr<StridedSlice> paddingOf(StridedSlice slice, tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  TypedAttr constant;
  if (slice.padding || !value || !matchPattern(value, m_Constant(&constant)) ||
      ShapedType::isDynamicShape(pad.getStaticLow()) || ShapedType::isDynamicShape(pad.getStaticHigh()))
    return failure();
  slice.padding = constant;
  slice.kept = slice.shape;
  slice.low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
  for (auto [axis, low] : llvm::enumerate(slice.low))
    slice.offset -= low * slice.strides[axis];
  slice.shape.assign(pad.getType().getShape().begin(), pad.getType().getShape().end());
  return slice;
}

} // namespace

FailureOr<StridedSlice> findSlice(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return wholeStorage(argument);
  Operation *op = tensor.getDefiningOp();
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    FailureOr<StridedSlice> source = findSlice(extract.getSource());
    return failed(source) ? source : sliceOf(std::move(*source), extract);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    FailureOr<StridedSlice> source = findSlice(pad.getSource());
    return failed(source) ? source : paddingOf(std::move(*source), pad);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return findSlice(linalgOp.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())->get());
  return failure();
}

//===----------------------------------------------------------------------===//
// 2. Accesses
//===----------------------------------------------------------------------===//

namespace {

/// Adds `expression` times `factor` to `coefficients`, which has one entry per loop, and to `constant`. Fails if
/// `expression` is not linear.
LogicalResult flatten(AffineExpr expression, int64_t factor, MutableArrayRef<int64_t> coefficients, int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    coefficients[dim.getPosition()] += factor;
    return success();
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expression)) {
    constant += factor * value.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(flatten(binary.getLHS(), factor, coefficients, constant)) &&
                   succeeded(flatten(binary.getRHS(), factor, coefficients, constant)));
  // MLIR simplifies affine expressions, so the constant of a product is on the right.
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !right)
    return failure();
  return flatten(binary.getLHS(), factor * right.getValue(), coefficients, constant);
}

} // namespace

FailureOr<SmallVector<WalkedAxis>> walkAxes(AffineMap map) {
  SmallVector<WalkedAxis> axes;
  for (AffineExpr expression : map.getResults()) {
    WalkedAxis &axis = axes.emplace_back();
    axis.coefficients.assign(map.getNumDims(), 0);
    if (failed(flatten(expression, 1, axis.coefficients, axis.constant)))
      return failure();
  }
  return axes;
}

FailureOr<Access> composeAccess(const StridedSlice &slice, AffineMap map, Type elementType) {
  FailureOr<SmallVector<WalkedAxis>> walked = walkAxes(map);
  if (failed(walked))
    return failure();
  Access access;
  access.argument = slice.argument;
  access.offset = slice.offset;
  access.strides.assign(map.getNumDims(), 0);
  access.elementType = elementType;
  for (auto [axis, onAxis] : llvm::enumerate(*walked)) {
    PaddedAxis padded{onAxis};
    access.offset += padded.constant * slice.strides[axis];
    for (auto [loop, coefficient] : llvm::enumerate(padded.coefficients))
      access.strides[loop] += coefficient * slice.strides[axis];
    if (slice.padding && slice.kept[axis] != slice.shape[axis]) {
      padded.size = slice.kept[axis];
      padded.constant -= slice.low[axis];
      access.padded.push_back(std::move(padded));
    }
  }
  return access;
}

FailureOr<Access> findAccess(Value tensor, AffineMap map) {
  FailureOr<StridedSlice> slice = findSlice(tensor);
  if (failed(slice))
    return failure();
  return composeAccess(*slice, map, cast<RankedTensorType>(tensor.getType()).getElementType());
}

} // namespace nacre::codegen
