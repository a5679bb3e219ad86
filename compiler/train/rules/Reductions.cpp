// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of reductions and of normalizations along axes.

#include "compiler/train/rules/GradientRules.h"

using namespace mlir;

namespace nacre::train {

/// Returns `value`, a reduction's result, with the reduced axes as axes of size 1, so that it broadcasts to the
/// operand.
static Value keepAxes(Writer &w, nn::ReduceOp op, Value value) {
  Ints shape(shapeOf(op.getOperand()));
  for (int64_t axis : op.getAxes())
    shape[axis] = 1;
  return w.reshape(value, shape);
}

/// Returns, for each element, the product of all other elements along `axes`. It is exact even if some elements are
/// zero.
static Value productOfOthers(Writer &w, Value x, Dims axes) {
  // The reduced axes are joined and moved to the end.
  Ints order, shape;
  for (int64_t axis = 0; axis < rankOf(x); ++axis)
    if (!llvm::is_contained(axes, axis)) {
      order.push_back(axis);
      shape.push_back(shapeOf(x)[axis]);
    }
  order.append(axes.begin(), axes.end());
  Value moved = w.transpose(x, order);
  const int64_t last = shape.size();
  shape.push_back(countOf(shapeOf(moved).drop_front(last)));
  Value joined = w.reshape(moved, shape);
  auto before = [&](bool reverse) -> Value {
    return nn::CumulateOp::create(w.getBuilder(), w.getLoc(), nn::CumulateKind::Prod, joined, last, /*exclusive=*/true,
                                  reverse);
  };
  Value others = w.reshape(w.mul(before(false), before(true)), shapeOf(moved));
  Ints back(order.size());
  for (auto [position, axis] : llvm::enumerate(order))
    back[axis] = position;
  return w.transpose(others, back);
}

LogicalResult reverseReduce(nn::ReduceOp op, Adjoint &at) {
  Writer &w = at.write;
  Value x = op.getOperand(), dy = keepAxes(w, op, at.of());
  int64_t count = 1;
  for (int64_t axis : op.getAxes())
    count *= shapeOf(x)[axis];
  switch (op.getKind()) {
  case nn::ReduceKind::Sum:
    at.give(x, w.broadcast(dy, shapeOf(x)));
    break;
  case nn::ReduceKind::Mean:
    at.give(x, w.broadcast(w.mul(dy, 1.0 / double(count)), shapeOf(x)));
    break;
  case nn::ReduceKind::Max:
  case nn::ReduceKind::Min: { // Equal elements share the gradient evenly.
    Value isTaken = w.equal(x, keepAxes(w, op, op.getResult()));
    Value number = w.sum(w.convert(isTaken, typeOf(x).getElementType()), op.getAxes(), /*keepDims=*/true);
    at.give(x, w.where(isTaken, w.div(dy, number)));
    break;
  }
  case nn::ReduceKind::Prod:
    at.give(x, w.mul(dy, productOfOthers(w, x, op.getAxes())));
    break;
  }
  return success();
}

LogicalResult reverseCumulate(nn::CumulateOp op, Adjoint &at) {
  if (op.getKind() != nn::CumulateKind::Sum)
    return at.refuse("a cumulative product");
  at.give(op.getOperand(), nn::CumulateOp::create(at.write.getBuilder(), op.getLoc(), op.getKind(), at.of(),
                                                  op.getAxis(), op.getExclusive(), !op.getReverse()));
  return success();
}

LogicalResult reverseSoftmax(nn::SoftmaxOp op, Adjoint &at) {
  Writer &w = at.write;
  Value y = op.getResult(), dy = at.of();
  const int64_t axis = op.getAxis();
  if (op.getLog())
    at.give(op.getOperand(), w.sub(dy, w.mul(w.exp(y), w.sum(dy, {axis}, /*keepDims=*/true))));
  else
    at.give(op.getOperand(), w.mul(y, w.sub(dy, w.sum(w.mul(y, dy), {axis}, /*keepDims=*/true))));
  return success();
}

LogicalResult reverseNormalize(nn::NormalizeOp op, Adjoint &at) {
  Writer &w = at.write;
  Value x = op.getOperand(), y = op.getResult(), dy = at.of();
  const Dims axes = op.getAxes();
  Value centered = w.sub(x, w.mean(x, axes, /*keepDims=*/true));
  Value variance = w.add(w.mean(w.square(centered), axes, /*keepDims=*/true), op.getEpsilon().convertToDouble());
  Value along = w.mul(y, w.mean(w.mul(dy, y), axes, /*keepDims=*/true));
  Value gradient = w.div(w.sub(w.sub(dy, w.mean(dy, axes, /*keepDims=*/true)), along), w.sqrt(variance));
  // The gradient's mean is 0, so a bias before the normalization has no gradient. Subtracting the mean removes rounding
  // errors.
  at.give(x, w.sub(gradient, w.mean(gradient, axes, /*keepDims=*/true)));
  return success();
}

} // namespace nacre::train
