// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of operators that read or write at indices. The gradient of a read adds at the indices, and the
// gradient of a write reads there.
//
// A read clamps indices that are out of range, so the gradient goes to the nearest element. If a write ignored an
// update, the update has no gradient.

#include "compiler/train/rules/GradientRules.h"

using namespace mlir;

namespace nacre::train {

namespace {

/// Clamps indices to an axis of `size` elements, in the same way as reads do.
Value clampIndices(Writer &w, Value indices, int64_t size) {
  Value low = w.number(indices, double(-size)), high = w.number(indices, double(size - 1));
  return w.binary(nn::BinaryKind::Min, w.binary(nn::BinaryKind::Max, indices, low), high);
}

Value addAt(Writer &w, RankedTensorType type, Value coordinates, Value updates) {
  return nn::ScatterNdOp::create(w.getBuilder(), w.getLoc(), nn::ScatterKind::Add, w.zeros(type), coordinates, updates);
}

/// Clamps coordinates in `shape`. The last axis of `coordinates` has one index for each of the first axes of `shape`.
Value clampCoordinates(Writer &w, Value coordinates, Dims shape) {
  const int64_t last = rankOf(coordinates) - 1;
  SmallVector<Value> parts;
  for (int64_t part = 0; part < shapeOf(coordinates)[last]; ++part)
    parts.push_back(clampIndices(w, w.slice(coordinates, last, part, 1), shape[part]));
  return w.concat(parts, last);
}

} // namespace

LogicalResult reverseGather(nn::GatherOp op, Adjoint &at) {
  Writer &w = at.write;
  Value table = op.getOperand(), indices = op.getIndices();
  const int64_t axis = op.getAxis(), number = rankOf(indices), count = countOf(shapeOf(indices));
  // Move the axes of the indices to the front, and join them: [M, rest].
  Ints order = axisRange(axis, axis + number);
  order.append(axisRange(0, axis));
  order.append(axisRange(axis + number, rankOf(op.getResult())));
  Ints rest(shapeOf(table));
  const int64_t size = rest[axis];
  rest.erase(rest.begin() + axis);
  Ints updates{count}, rows{size};
  updates.append(rest);
  rows.append(rest);
  Value sums = addAt(w, typeOf(table).clone(rows), w.reshape(clampIndices(w, indices, size), {count, 1}),
                     w.reshape(w.transpose(at.of(), order), updates));
  at.give(table, w.moveAxis(sums, 0, axis));
  return success();
}

LogicalResult reverseGatherNd(nn::GatherNdOp op, Adjoint &at) {
  Writer &w = at.write;
  Value indices = op.getIndices();
  const int64_t batch = op.getBatchDims();
  const Dims shape = shapeOf(op.getOperand());
  Value coordinates = clampCoordinates(w, indices, shape.drop_front(batch));
  // Batch axes become coordinates, too.
  const int64_t last = rankOf(indices) - 1;
  Ints one(shapeOf(indices));
  one[last] = 1;
  SmallVector<Value> parts;
  for (int64_t axis = 0; axis < batch; ++axis)
    parts.push_back(w.broadcast(w.counting(shape[axis], axis, last + 1, typeOf(indices).getElementType()), one));
  parts.push_back(coordinates);
  at.give(op.getOperand(), addAt(w, typeOf(op.getOperand()), w.concat(parts, last), at.of()));
  return success();
}

LogicalResult reverseGatherElements(nn::GatherElementsOp op, Adjoint &at) {
  Writer &w = at.write;
  Value indices = clampIndices(w, op.getIndices(), shapeOf(op.getOperand())[op.getAxis()]);
  at.give(op.getOperand(),
          nn::ScatterElementsOp::create(w.getBuilder(), op.getLoc(), nn::ScatterKind::Add,
                                        w.zeros(typeOf(op.getOperand())), indices, at.of(), op.getAxis()));
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// Differentiates nn.scatter_nd and nn.scatter_elements. `read` reads a tensor at the updated positions, and `write`
/// writes updates there.
template <typename Op, typename Read, typename Write>
LogicalResult reverseWriting(Op op, Adjoint &at, Value isInside, Read read, Write write) {
  Writer &w = at.write;
  Value dy = at.of(), updates = op.getUpdates();
  if (op.getKind() == nn::ScatterKind::Add) {
    at.give(op.getOperand(), dy);
    if (at.wants(updates))
      at.give(updates, w.where(isInside, read(dy)));
    return success();
  }
  if (op.getKind() != nn::ScatterKind::Set)
    return at.refuse("a scatter that multiplies or takes minima or maxima");
  if (at.wants(op.getOperand()))
    at.give(op.getOperand(), write(dy, w.zeros(typeOf(updates))));
  if (at.wants(updates)) {
    // If several updates change one element, only the last one remains. To find it, each update writes its index, and
    // then reads whether the index is still there.
    Type integer = w.getBuilder().getI64Type();
    const int64_t count = countOf(shapeOf(updates));
    Value numbers = w.integers(shapeOf(updates), integer, axisRange(0, count));
    Value written = write(w.zeros(typeOf(op.getOperand()).clone(integer)), numbers);
    Value isLast = w.binary(nn::BinaryKind::And, w.equal(read(written), numbers), isInside);
    at.give(updates, w.where(isLast, read(dy)));
  }
  return success();
}

/// Returns a condition for each index: true if it is inside of an axis of `size` elements.
Value isInside(Writer &w, Value indices, int64_t size) {
  return w.binary(nn::BinaryKind::And, w.binary(nn::BinaryKind::GreaterEqual, indices, double(-size)),
                  w.binary(nn::BinaryKind::Less, indices, double(size)));
}

} // namespace

LogicalResult reverseScatterNd(nn::ScatterNdOp op, Adjoint &at) {
  Writer &w = at.write;
  Value indices = op.getIndices();
  const int64_t last = rankOf(indices) - 1;
  Value inside;
  for (int64_t part = 0; part < shapeOf(indices)[last]; ++part) {
    Value one = isInside(w, w.slice(indices, last, part, 1), shapeOf(op.getOperand())[part]);
    inside = inside ? w.binary(nn::BinaryKind::And, inside, one) : one;
  }
  // There is one value for all elements of a slice.
  Ints shape(shapeOf(indices).drop_back());
  shape.resize(rankOf(op.getUpdates()), 1);
  inside = w.reshape(inside, shape);
  auto read = [&](Value from) -> Value {
    return nn::GatherNdOp::create(w.getBuilder(), op.getLoc(), from, indices, /*batchDims=*/0);
  };
  auto write = [&](Value to, Value updates) -> Value {
    return nn::ScatterNdOp::create(w.getBuilder(), op.getLoc(), nn::ScatterKind::Set, to, indices, updates);
  };
  return reverseWriting(op, at, inside, read, write);
}

LogicalResult reverseScatterElements(nn::ScatterElementsOp op, Adjoint &at) {
  Writer &w = at.write;
  Value indices = op.getIndices();
  auto read = [&](Value from) -> Value {
    return nn::GatherElementsOp::create(w.getBuilder(), op.getLoc(), from, indices, op.getAxis());
  };
  auto write = [&](Value to, Value updates) -> Value {
    return nn::ScatterElementsOp::create(w.getBuilder(), op.getLoc(), nn::ScatterKind::Set, to, indices, updates,
                                         op.getAxis());
  };
  return reverseWriting(op, at, isInside(w, indices, shapeOf(op.getOperand())[op.getAxis()]), read, write);
}

LogicalResult reverseTopK(nn::TopKOp op, Adjoint &at) {
  Writer &w = at.write;
  at.give(op.getOperand(),
          nn::ScatterElementsOp::create(w.getBuilder(), op.getLoc(), nn::ScatterKind::Add,
                                        w.zeros(typeOf(op.getOperand())), op.getIndices(), at.of(), op.getAxis()));
  return success();
}

} // namespace nacre::train
