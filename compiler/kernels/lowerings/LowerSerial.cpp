// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers running sums and scatters to serial programs that keep the order of their updates.
//
// 1. Running sums: a point is a line along the axis.
// 2. Updates of an element.
// 3. Scatters of elements with an index each: a point is a line along the axis, too.
// 4. Scatters of slices: a point is an element of a slice. If slices are short, it is several rows.
// Every point of a scatter reads all updates that may change its elements.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/bodies/SerialBody.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

Value emitIndex(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

/// Returns all of the `rank` axes except `axis`.
SmallVector<int64_t> otherAxes(int64_t rank, int64_t axis) {
  SmallVector<int64_t> axes;
  for (int64_t other = 0; other < rank; ++other)
    if (other != axis)
      axes.push_back(other);
  return axes;
}

/// Returns the index of an element in the part of a point that owns whole lines of `axis`.
SmallVector<Value> inLine(OpBuilder &b, Location loc, int64_t rank, int64_t axis, Value index) {
  SmallVector<Value> at(rank, emitIndex(b, loc, 0));
  at[axis] = index;
  return at;
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Running sums
//===----------------------------------------------------------------------===//

LogicalResult lowerCumulate(KernelBody &body, nn::CumulateOp op) {
  auto type = typeOf(op.getOperand());
  Type elementType = type.getElementType(), computeType = getComputeType(elementType);
  const int64_t rank = type.getRank(), axis = op.getAxis(), extent = type.getDimSize(axis);
  const nn::ReduceKind kind = op.getKind() == nn::CumulateKind::Sum ? nn::ReduceKind::Sum : nn::ReduceKind::Prod;
  const bool isUnsigned = elementType.isUnsignedInteger();
  Value input = body.read(op.getOperand());
  Location loc = body.getLoc();
  return finishSerial(body, {otherAxes(rank, axis)}, [&](OpBuilder &b, const SerialPoint &point, ValueRange parts) {
    Value start = arith::ConstantOp::create(b, loc, getIdentity(kind, computeType, isUnsigned));
    SmallVector<Value> carried = {start, parts.front()};
    carried = emitLoop(
        b, loc, emitIndex(b, loc, 0), emitIndex(b, loc, extent), carried,
        [&](OpBuilder &b, Value iteration, ValueRange carried) -> SmallVector<Value> {
          Value index = iteration;
          if (op.getReverse())
            index = arith::SubIOp::create(b, loc, emitIndex(b, loc, extent - 1), iteration);
          SmallVector<Value> at(point.at);
          at[axis] = index;
          Value value = fromStorage(b, loc, tensor::ExtractOp::create(b, loc, input, at), elementType);
          Value next = combine(b, loc, kind, carried[0], value, isUnsigned);
          Value result = toStorage(b, loc, op.getExclusive() ? carried[0] : next, elementType);
          return {next, tensor::InsertOp::create(b, loc, result, carried[1], inLine(b, loc, rank, axis, index))};
        });
    return SmallVector<Value>{carried[1]};
  });
}

//===----------------------------------------------------------------------===//
// 2. Updates
//===----------------------------------------------------------------------===//

namespace {

/// Operations that both kinds of scatters use.
class Scatter {
public:
  Scatter(KernelBody &body, nn::ScatterKind kind, Value operand, Value indices, Value updates)
      : loc(body.getLoc()), kind(kind), elementType(typeOf(operand).getElementType()), operand(body.read(operand)),
        indices(body.read(indices)), updates(body.read(updates)) {}

  /// Copies an element of the operand to the same element of the part. Their indices are `from` and `to`.
  Value copy(OpBuilder &b, Value part, ValueRange to, ValueRange from) const {
    return tensor::InsertOp::create(b, loc, tensor::ExtractOp::create(b, loc, operand, from), part, to);
  }

  /// Combines the element of `part` at `to` with the update at `from`.
  Value change(OpBuilder &b, Value part, ValueRange to, ValueRange from) const {
    Value update = tensor::ExtractOp::create(b, loc, updates, from);
    if (kind != nn::ScatterKind::Set) {
      Value old = load(b, part, to);
      update = combine(b, loc, getReduceKind(), old, fromStorage(b, loc, update, elementType), isUnsigned());
      update = toStorage(b, loc, update, elementType);
    }
    return tensor::InsertOp::create(b, loc, update, part, to);
  }

  struct Index {
    Value at, isInside;
  };
  /// Loads the index at `from`, an index into an axis of `size` elements. Negative indices count from the end.
  Index readIndex(OpBuilder &b, ValueRange from, int64_t size) const {
    Value index = tensor::ExtractOp::create(b, loc, indices, from);
    auto constant = [&](int64_t value) { return emitConstant(b, loc, index.getType(), double(value)); };
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, constant(0));
    index = arith::SelectOp::create(b, loc, isNegative, arith::AddIOp::create(b, loc, index, constant(size)), index);
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, constant(size));
    return {arith::IndexCastOp::create(b, loc, b.getIndexType(), index), isInside};
  }

private:
  Value load(OpBuilder &b, Value tensor, ValueRange at) const {
    return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, tensor, at), elementType);
  }
  nn::ReduceKind getReduceKind() const {
    switch (kind) {
    case nn::ScatterKind::Add:
      return nn::ReduceKind::Sum;
    case nn::ScatterKind::Mul:
      return nn::ReduceKind::Prod;
    case nn::ScatterKind::Max:
      return nn::ReduceKind::Max;
    case nn::ScatterKind::Min:
      return nn::ReduceKind::Min;
    case nn::ScatterKind::Set:
      break;
    }
    llvm_unreachable("is no reduction");
  }
  bool isUnsigned() const { return elementType.isUnsignedInteger() || elementType.isInteger(1); }

  Location loc;
  nn::ScatterKind kind;
  Type elementType;
  Value operand, indices, updates;
};

/// Emits loops over a box of `sizes` that carry `part`. The last axis is the innermost loop.
Value emitLoops(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value part,
                function_ref<Value(OpBuilder &, ValueRange at, Value part)> body, SmallVector<Value> at = {}) {
  if (at.size() == sizes.size())
    return body(b, at, part);
  if (isConstantIntValue(sizes[at.size()], 1)) {
    at.push_back(emitIndex(b, loc, 0));
    return emitLoops(b, loc, sizes, part, body, std::move(at));
  }
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[at.size()]);
  return emitLoop(b, loc, emitIndex(b, loc, 0), end, part,
                  [&](OpBuilder &b, Value index, ValueRange carried) -> SmallVector<Value> {
                    SmallVector<Value> next(at);
                    next.push_back(index);
                    return {emitLoops(b, loc, sizes, carried.front(), body, next)};
                  })
      .front();
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. Elements with an index each
//===----------------------------------------------------------------------===//

LogicalResult lowerScatterElements(KernelBody &body, nn::ScatterElementsOp op) {
  auto type = typeOf(op.getOperand()), indexType = typeOf(op.getIndices());
  const int64_t rank = type.getRank(), axis = op.getAxis(), extent = type.getDimSize(axis);
  const Scatter scatter(body, op.getKind(), op.getOperand(), op.getIndices(), op.getUpdates());
  Location loc = body.getLoc();
  return finishSerial(body, {otherAxes(rank, axis)}, [&](OpBuilder &b, const SerialPoint &point, ValueRange parts) {
    auto inTensor = [&](Value index) {
      SmallVector<Value> at(point.at);
      at[axis] = index;
      return at;
    };
    Value zero = emitIndex(b, loc, 0);
    SmallVector<Value> part =
        emitLoop(b, loc, zero, emitIndex(b, loc, extent), parts,
                 [&](OpBuilder &b, Value index, ValueRange part) -> SmallVector<Value> {
                   return {scatter.copy(b, part.front(), inLine(b, loc, rank, axis, index), inTensor(index))};
                 });
    auto update = [&](OpBuilder &b, Value iteration, ValueRange part) -> SmallVector<Value> {
      const Scatter::Index index = scatter.readIndex(b, inTensor(iteration), extent);
      return emitIf(b, loc, index.isInside, part, [&](OpBuilder &b, ValueRange part) -> SmallVector<Value> {
        return {scatter.change(b, part.front(), inLine(b, loc, rank, axis, index.at), inTensor(iteration))};
      });
    };
    // Updates may not exist for all lines.
    Value hasUpdates;
    for (int64_t other : otherAxes(rank, axis)) {
      if (indexType.getDimSize(other) == type.getDimSize(other))
        continue;
      Value end = emitIndex(b, loc, indexType.getDimSize(other));
      Value isBefore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, point.at[other], end);
      hasUpdates = hasUpdates ? Value(arith::AndIOp::create(b, loc, hasUpdates, isBefore)) : isBefore;
    }
    auto walk = [&](OpBuilder &b, ValueRange part) {
      return emitLoop(b, loc, zero, emitIndex(b, loc, indexType.getDimSize(axis)), part, update);
    };
    return hasUpdates ? emitIf(b, loc, hasUpdates, part, walk) : walk(b, part);
  });
}

//===----------------------------------------------------------------------===//
// 4. Slices
//===----------------------------------------------------------------------===//

/// Smallest number of elements of a slice for which each element is a separate point.
constexpr int64_t longSlice = 16;

/// Returns the number of rows that a point owns if slices are short; 0 for all rows. Reading all updates then takes a
/// point no longer than copying its rows.
static int64_t chooseRows(RankedTensorType type, int64_t updates) {
  constexpr int64_t fewElements = 4096;
  const int64_t rows = type.getDimSize(0), elements = type.getNumElements();
  if (rows == 0 || elements < fewElements)
    return 0;
  const int64_t points = std::clamp<int64_t>(elements / std::max<int64_t>(1, updates), 1, rows);
  return points == 1 ? 0 : llvm::divideCeil(rows, points);
}

LogicalResult lowerScatterNd(KernelBody &body, nn::ScatterNdOp op) {
  auto type = typeOf(op.getOperand()), indexType = typeOf(op.getIndices());
  const int64_t rank = type.getRank(), coordinates = indexType.getShape().back();
  ArrayRef<int64_t> slice = type.getShape().drop_front(coordinates), rows = indexType.getShape().drop_back();
  const Scatter scatter(body, op.getKind(), op.getOperand(), op.getIndices(), op.getUpdates());
  const bool byElement = computeProduct(slice) >= longSlice;
  SerialPoints points{{0}, chooseRows(type, indexType.getNumElements())};
  if (byElement)
    points = {llvm::to_vector(llvm::seq<int64_t>(coordinates, rank)), 1};
  Location loc = body.getLoc();
  return finishSerial(body, points, [&](OpBuilder &b, const SerialPoint &point, ValueRange parts) {
    Value zero = emitIndex(b, loc, 0), begin = byElement || !point.at[0] ? zero : point.at[0];
    // Converts indices in the part to indices in the operand.
    auto inTensor = [&](OpBuilder &b, ValueRange at) {
      SmallVector<Value> whole(at);
      if (byElement)
        llvm::copy(ArrayRef(point.at).drop_front(coordinates), whole.begin() + coordinates);
      else
        whole[0] = arith::AddIOp::create(b, loc, begin, at[0]);
      return whole;
    };
    SmallVector<OpFoldResult> sizes;
    for (int64_t axis = 0; axis < rank; ++axis)
      sizes.push_back(b.getIndexAttr(byElement && axis >= coordinates ? 1 : type.getDimSize(axis)));
    if (!byElement)
      sizes[0] = point.size;
    Value copied = emitLoops(b, loc, sizes, parts.front(), [&](OpBuilder &b, ValueRange at, Value part) {
      return scatter.copy(b, part, at, inTensor(b, at));
    });
    ArrayRef<OpFoldResult> ofSlice = ArrayRef(sizes).drop_front(coordinates);
    SmallVector<OpFoldResult> ofRows = getAsIndexOpFoldResult(b.getContext(), rows);
    Value updated = emitLoops(b, loc, ofRows, copied, [&](OpBuilder &b, ValueRange row, Value part) {
      SmallVector<Value> to;
      Value isMine;
      for (int64_t axis = 0; axis < coordinates; ++axis) {
        SmallVector<Value> from(row);
        from.push_back(emitIndex(b, loc, axis));
        Scatter::Index index = scatter.readIndex(b, from, type.getDimSize(axis));
        if (axis == 0 && !byElement) {
          index.at = arith::SubIOp::create(b, loc, index.at, begin);
          Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index.at, point.size);
          index.isInside = arith::AndIOp::create(b, loc, index.isInside, isOwn);
        }
        to.push_back(index.at);
        isMine = isMine ? Value(arith::AndIOp::create(b, loc, isMine, index.isInside)) : index.isInside;
      }
      return emitIf(b, loc, isMine, part,
                    [&](OpBuilder &b, ValueRange part) -> SmallVector<Value> {
                      return {emitLoops(b, loc, ofSlice, part.front(), [&](OpBuilder &b, ValueRange at, Value part) {
                        SmallVector<Value> element(to), from(row);
                        element.append(at.begin(), at.end());
                        if (byElement)
                          llvm::append_range(from, ArrayRef(point.at).drop_front(coordinates));
                        else
                          from.append(at.begin(), at.end());
                        return scatter.change(b, part, element, from);
                      })};
                    })
          .front();
    });
    return SmallVector<Value>{updated};
  });
}

} // namespace nacre::kernels
