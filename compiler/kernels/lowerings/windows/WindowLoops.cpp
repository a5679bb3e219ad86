// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/windows/WindowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

Value padWith(KernelBody &body, Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr value) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return input;
  OpBuilder &builder = body.getBuilder();
  SmallVector<int64_t> shape(cast<RankedTensorType>(input.getType()).getShape());
  for (auto [axis, amount] : llvm::enumerate(shape))
    amount += low[axis] + high[axis];
  Value constant = arith::ConstantOp::create(builder, body.getLoc(), value);
  return tensor::PadOp::create(
      builder, body.getLoc(), RankedTensorType::get(shape, cast<RankedTensorType>(input.getType()).getElementType()),
      input, getAsIndexOpFoldResult(body.getContext(), low), getAsIndexOpFoldResult(body.getContext(), high), constant);
}

WindowLoops::WindowLoops(MLIRContext *context, ArrayRef<int64_t> result, ArrayRef<int64_t> kernel,
                         ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads,
                         ArrayRef<int64_t> overhang)
    : shape(result), low(result.size(), 0), high(result.size(), 0), spatial(kernel.size()) {
  const size_t rank = result.size();
  SmallVector<AffineExpr> x, y, inWindow;
  for (size_t axis = 0; axis < rank; ++axis) {
    AffineExpr dim = getAffineDimExpr(axis, context);
    y.push_back(dim);
    if (axis > 0 && axis <= spatial) {
      inWindow.push_back(getAffineDimExpr(rank + axis - 1, context));
      dim = dim * strides[axis - 1] + inWindow.back() * dilations[axis - 1];
      low[axis] = pads[axis - 1];
      high[axis] = pads[spatial + axis - 1] + overhang[axis - 1];
    }
    x.push_back(dim);
  }
  cells = AffineMap::get(rank + spatial, 0, x, context);
  window = AffineMap::get(rank + spatial, 0, inWindow, context);
  places = AffineMap::get(rank + spatial, 0, y, context);
  llvm::append_range(shape, kernel);
}

Sweep WindowLoops::sweep() const {
  Sweep sweep;
  sweep.shape = shape;
  sweep.iterators.assign(shape.size() - spatial, utils::IteratorType::parallel);
  sweep.iterators.append(spatial, utils::IteratorType::reduction);
  sweep.destinationMap = places;
  return sweep;
}

Value WindowLoops::pad(KernelBody &body, Value host, TypedAttr value) const {
  return padWith(body, body.read(host), low, high, value);
}

} // namespace nacre::kernels
