// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers softmax and normalizations to several sweeps over the columns of each row.
//
// 1. Parts that the sweeps share.
// 2. Softmax.
// 3. Normalization.
// A separate sweep computes a prologue once, before the others.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. Rows
//===----------------------------------------------------------------------===//

namespace {

/// Function from stored scalars of a sweep's tensors to the value that the sweep stores or reduces.
using ScalarBody = std::function<Value(OpBuilder &, ValueRange scalars)>;

/// Tensor that a sweep reads, and its map.
struct Operand {
  Value tensor;
  AffineMap map;
};

/// Rows of one operand, with the shape that the kernel uses. The given axes are the columns.
class Rows {
public:
  Rows(KernelBody &body, Value operand, ArrayRef<int64_t> columns) : body(body), shape(body.getShape(operand)) {
    elementType = cast<RankedTensorType>(operand.getType()).getElementType();
    computeType = getComputeType(elementType);
    SmallVector<AffineExpr> kept;
    for (auto [axis, size] : llvm::enumerate(shape)) {
      bool isColumn = llvm::is_contained(columns, int64_t(axis));
      numColumns *= isColumn ? size : 1;
      iterators.push_back(isColumn ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      if (!isColumn) {
        kept.push_back(body.getBuilder().getAffineDimExpr(axis));
        rowShape.push_back(size);
      }
    }
    rowMap = AffineMap::get(shape.size(), 0, kept, body.getContext());
    columnMap = body.getBuilder().getMultiDimIdentityMap(shape.size());
    input = {readOperand(operand), columnMap};
  }

  Operand getInput() const { return input; }
  Type getComputedType() const { return computeType; }
  int64_t getNumColumns() const { return numColumns; }
  Value load(OpBuilder &builder, Value scalar) const {
    return fromStorage(builder, body.getLoc(), scalar, elementType);
  }

  /// Reduces each row to one value.
  Operand reduce(nn::ReduceKind kind, ArrayRef<Operand> operands, ScalarBody scalar) {
    Sweep sweep = getSweep(operands);
    sweep.iterators = iterators;
    sweep.destination = body.fill(getIdentity(kind, computeType, false), body.empty(rowShape, computeType));
    sweep.destinationMap = rowMap;
    sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) {
      return combine(b, body.getLoc(), kind, old, scalar(b, scalars), false);
    };
    return {body.emitSweep(sweep), rowMap};
  }

  /// Computes one value per column and stores it for later sweeps.
  Operand map(ArrayRef<Operand> operands, ScalarBody scalar) {
    Sweep sweep = getSweep(operands);
    sweep.destination = body.empty(shape, computeType);
    sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value) { return scalar(b, scalars); };
    return {body.emitSweep(sweep), columnMap};
  }

  void define(Value result, ArrayRef<Operand> operands, ScalarBody scalar) {
    Sweep sweep = getSweep(operands);
    body.define(result, {sweep.tensors, sweep.maps, std::move(scalar)});
  }

  LogicalResult finish(Value result, ArrayRef<Operand> operands, ScalarBody scalar) {
    define(result, operands, std::move(scalar));
    return body.finish();
  }

private:
  Sweep getSweep(ArrayRef<Operand> operands) const {
    Sweep sweep;
    sweep.shape = shape;
    for (const Operand &operand : operands) {
      sweep.tensors.push_back(operand.tensor);
      sweep.maps.push_back(operand.map);
    }
    return sweep;
  }

  Value readOperand(Value operand) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || !body.getGroup().members.contains(producer))
      return body.read(operand);
    Sweep prologue;
    prologue.shape = shape;
    prologue.values = {operand};
    prologue.destination = body.empty(shape, computeType);
    prologue.body = [](OpBuilder &, ValueRange values, ValueRange, Value) { return values[0]; };
    Value computed = body.emitSweep(prologue);
    body.defineAs(operand, computed);
    return computed;
  }

  KernelBody &body;
  const SmallVector<int64_t> shape;
  Operand input;
  Type elementType, computeType;
  SmallVector<int64_t> rowShape;
  int64_t numColumns = 1;
  SmallVector<utils::IteratorType> iterators;
  AffineMap rowMap, columnMap;
};

} // namespace

//===----------------------------------------------------------------------===//
// 2. Softmax
//===----------------------------------------------------------------------===//

LogicalResult lowerSoftmax(KernelBody &body, nn::SoftmaxOp op) {
  Location loc = body.getLoc();
  Rows rows(body, op.getOperand(), {int64_t(op.getAxis())});
  body.setUncuttable({int64_t(op.getAxis())});
  Type type = rows.getComputedType();
  auto shifted = [&](OpBuilder &b, ValueRange s) -> Value {
    return arith::SubFOp::create(b, loc, rows.load(b, s[0]), s[1]);
  };
  auto exponential = [&](OpBuilder &b, ValueRange s) -> Value { return math::ExpOp::create(b, loc, shifted(b, s)); };
  auto self = [&](OpBuilder &b, ValueRange s) { return rows.load(b, s[0]); };

  Operand max = rows.reduce(nn::ReduceKind::Max, {rows.getInput()}, self);
  if (op.getLog()) {
    Operand sum = rows.reduce(nn::ReduceKind::Sum, {rows.getInput(), max}, exponential);
    return rows.finish(op.getResult(), {rows.getInput(), max, sum}, [&](OpBuilder &b, ValueRange s) -> Value {
      return arith::SubFOp::create(b, loc, shifted(b, s), math::LogOp::create(b, loc, s[2]));
    });
  }
  Operand exponentials = rows.map({rows.getInput(), max}, exponential);
  Operand sum = rows.reduce(nn::ReduceKind::Sum, {exponentials}, [](OpBuilder &, ValueRange s) { return s[0]; });
  return rows.finish(op.getResult(), {exponentials, sum}, [&](OpBuilder &b, ValueRange s) -> Value {
    Value inverse = arith::DivFOp::create(b, loc, emitConstant(b, loc, type, 1), s[1]);
    return arith::MulFOp::create(b, loc, s[0], inverse);
  });
}

//===----------------------------------------------------------------------===//
// 3. Normalization
//===----------------------------------------------------------------------===//

static void defineNormalized(KernelBody &body, nn::NormalizeOp op, ArrayRef<int64_t> columns) {
  Location loc = body.getLoc();
  Rows rows(body, op.getOperand(), columns);
  Type elementType = cast<RankedTensorType>(op.getOperand().getType()).getElementType();
  Type type = rows.getComputedType();
  double scale = 1.0 / double(rows.getNumColumns()), epsilon = op.getEpsilon().convertToDouble();
  auto average = [=](OpBuilder &b, Value sum) -> Value {
    return arith::MulFOp::create(b, loc, sum, emitConstant(b, loc, type, scale));
  };
  auto deviation = [=](OpBuilder &b, ValueRange s) -> Value {
    return arith::SubFOp::create(b, loc, fromStorage(b, loc, s[0], elementType), average(b, s[1]));
  };

  Operand x = rows.getInput();
  Operand sum = rows.reduce(nn::ReduceKind::Sum, {x}, [&](OpBuilder &b, ValueRange s) { return rows.load(b, s[0]); });
  Operand squares = rows.reduce(nn::ReduceKind::Sum, {x, sum}, [&](OpBuilder &b, ValueRange s) -> Value {
    Value difference = deviation(b, s);
    return arith::MulFOp::create(b, loc, difference, difference);
  });
  rows.define(op.getResult(), {x, sum, squares}, [=](OpBuilder &b, ValueRange s) -> Value {
    Value variance = arith::AddFOp::create(b, loc, average(b, s[2]), emitConstant(b, loc, type, epsilon));
    // This needs only one division and one root per row.
    Value inverse =
        arith::DivFOp::create(b, loc, emitConstant(b, loc, type, 1), math::SqrtOp::create(b, loc, variance));
    return arith::MulFOp::create(b, loc, deviation(b, s), inverse);
  });
}

LogicalResult lowerNormalize(KernelBody &body, nn::NormalizeOp op) {
  defineNormalized(body, op, op.getAxes());
  body.setUncuttable(op.getAxes());
  return body.finish();
}

void defineNormalized(KernelBody &body, nn::NormalizeOp op) {
  defineNormalized(body, op, {int64_t(body.getShape(op.getOperand()).size()) - 1});
}

} // namespace nacre::kernels
