// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. places; 2. accesses. Maps are flattened to coefficients, so the order of terms does not matter.

#include "codegen/form/Access.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen {

//===----------------------------------------------------------------------===//
// 1. Places
//===----------------------------------------------------------------------===//

namespace {

Place wholeStorage(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  Place place;
  place.argument = argument.getArgNumber();
  place.shape.assign(type.getShape().begin(), type.getShape().end());
  place.strides.assign(place.shape.size(), 1);
  for (int64_t axis = int64_t(place.shape.size()) - 2; axis >= 0; --axis)
    place.strides[axis] = place.strides[axis + 1] * place.shape[axis + 1];
  return place;
}

/// A static slice; axes that the result's type drops are of size one.
FailureOr<Place> sliceOf(Place place, tensor::ExtractSliceOp slice) {
  // A slice of a padded tensor would need the padding cut as well; the contract has none.
  if (place.padding || !slice.hasUnitStride() || !slice.getType().hasStaticShape() ||
      ShapedType::isDynamicShape(slice.getStaticOffsets()))
    return failure();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<int64_t> strides;
  for (auto [axis, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    place.offset += offset * place.strides[axis];
    if (!dropped[axis])
      strides.push_back(place.strides[axis]);
  }
  place.strides = std::move(strides);
  place.shape.assign(slice.getType().getShape().begin(), slice.getType().getShape().end());
  return place;
}

FailureOr<Place> paddingOf(Place place, tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  TypedAttr constant;
  if (place.padding || !value || !matchPattern(value, m_Constant(&constant)) ||
      ShapedType::isDynamicShape(pad.getStaticLow()) || ShapedType::isDynamicShape(pad.getStaticHigh()))
    return failure();
  place.padding = constant;
  place.kept = place.shape;
  place.low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
  for (auto [axis, low] : llvm::enumerate(place.low))
    place.offset -= low * place.strides[axis];
  place.shape.assign(pad.getType().getShape().begin(), pad.getType().getShape().end());
  return place;
}

} // namespace

FailureOr<Place> findPlace(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return wholeStorage(argument);
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    FailureOr<Place> source = findPlace(slice.getSource());
    return failed(source) ? source : sliceOf(std::move(*source), slice);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    FailureOr<Place> source = findPlace(pad.getSource());
    return failed(source) ? source : paddingOf(std::move(*source), pad);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return findPlace(linalgOp.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())->get());
  return failure();
}

//===----------------------------------------------------------------------===//
// 2. Accesses
//===----------------------------------------------------------------------===//

namespace {

/// `expression` as a coefficient per loop and a constant.
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
  // Affine expressions are simplified: the constant of a product is on the right.
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

FailureOr<Access> composeAccess(const Place &place, AffineMap map, Type elementType) {
  FailureOr<SmallVector<WalkedAxis>> walked = walkAxes(map);
  if (failed(walked))
    return failure();
  Access access;
  access.argument = place.argument;
  access.offset = place.offset;
  access.strides.assign(map.getNumDims(), 0);
  access.elementType = elementType;
  for (auto [axis, onAxis] : llvm::enumerate(*walked)) {
    PaddedAxis padded{onAxis};
    access.offset += padded.constant * place.strides[axis];
    for (auto [loop, coefficient] : llvm::enumerate(padded.coefficients))
      access.strides[loop] += coefficient * place.strides[axis];
    if (place.padding && place.kept[axis] != place.shape[axis]) {
      padded.size = place.kept[axis];
      padded.constant -= place.low[axis];
      access.padded.push_back(std::move(padded));
    }
  }
  return access;
}

FailureOr<Access> findAccess(Value tensor, AffineMap map) {
  FailureOr<Place> place = findPlace(tensor);
  if (failed(place))
    return failure();
  return composeAccess(*place, map, cast<RankedTensorType>(tensor.getType()).getElementType());
}

} // namespace nacre::codegen
