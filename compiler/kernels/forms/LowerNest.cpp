// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reductions, windows and strided reads: a fill with the identity, one generic over parallel and reduction
//        loops, and the epilogue.
// How:   1. reductions; 2. windows: pooling, local response normalization; 3. strided slices.

#include "compiler/kernels/forms/AxisTables.h"
#include "compiler/kernels/forms/Lowering.h"
#include "compiler/kernels/forms/ScalarBodies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

static RankedTensorType getTensorType(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

/// Booleans are reduced as the bytes they are stored as; everything else as it is computed with.
static Type getReductionType(Type elementType) {
  return elementType.isInteger(1) ? getStorageType(elementType) : getComputeType(elementType);
}

static bool isUnsignedOrBool(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

//===----------------------------------------------------------------------===//
// 1. Reductions
//===----------------------------------------------------------------------===//

/// The mean of nothing is 0.
static Value divideInteger(OpBuilder &builder, Location loc, Value sum, int64_t count, bool isUnsigned) {
  Type type = sum.getType(), wide = builder.getI64Type();
  if (count == 0)
    return emitConstant(builder, loc, type, 0);
  // Narrow types may have no such number.
  const unsigned digits = type.getIntOrFloatBitWidth() - !isUnsigned;
  if (digits < 63 && !llvm::isUIntN(digits, uint64_t(count))) {
    Value extended = isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, wide, sum))
                                : Value(arith::ExtSIOp::create(builder, loc, wide, sum));
    return arith::TruncIOp::create(builder, loc, type, divideInteger(builder, loc, extended, count, isUnsigned));
  }
  Value divisor = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, count));
  if (isUnsigned)
    return arith::DivUIOp::create(builder, loc, sum, divisor);
  return arith::DivSIOp::create(builder, loc, sum, divisor);
}

LogicalResult lowerReduce(KernelBody &body, nn::ReduceOp op) {
  auto type = getTensorType(op.getOperand());
  Type elementType = type.getElementType(), accumulatorType = getReductionType(elementType);
  bool isUnsigned = isUnsignedOrBool(elementType), isMean = op.getKind() == nn::ReduceKind::Mean;
  nn::ReduceKind kind = isMean ? nn::ReduceKind::Sum : op.getKind();
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();

  Sweep sweep;
  sweep.shape = SmallVector<int64_t>(type.getShape());
  sweep.values = {op.getOperand()};
  SmallVector<AffineExpr> kept;
  int64_t count = 1;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool reduced = llvm::is_contained(op.getAxes(), axis);
    sweep.iterators.push_back(reduced ? reduction : parallel);
    count *= reduced ? type.getDimSize(axis) : 1;
    if (!reduced)
      kept.push_back(builder.getAffineDimExpr(axis));
    else if (op.getKeepDims())
      kept.push_back(builder.getAffineConstantExpr(0));
  }
  sweep.destinationMap = AffineMap::get(type.getRank(), 0, kept, body.getContext());
  sweep.destination = body.fill(getIdentity(kind, accumulatorType, isUnsigned),
                                body.getAccumulator(op.getResult(), accumulatorType, /*moreWork=*/isMean));
  sweep.body = [&](OpBuilder &b, ValueRange values, ValueRange, Value old) {
    Value value = values[0];
    if (value.getType() != accumulatorType)
      value = toStorage(b, loc, value, elementType);
    return combine(b, loc, kind, old, value, isUnsigned);
  };
  Value accumulator = body.emitSweep(sweep);

  body.defineAs(op.getResult(), accumulator);
  if (isMean) {
    AffineMap identity = builder.getMultiDimIdentityMap(kept.size());
    body.define(op.getResult(),
                {{accumulator}, {identity}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                   if (isa<FloatType>(accumulatorType))
                     return arith::MulFOp::create(b, loc, scalars[0],
                                                  emitConstant(b, loc, accumulatorType, 1.0 / double(count)));
                   return divideInteger(b, loc, scalars[0], count, isUnsigned);
                 }});
  }
  return body.finish(accumulator);
}

//===----------------------------------------------------------------------===//
// 2. Windows
//===----------------------------------------------------------------------===//

/// The input with constant cells around it, of which emitters keep none in memory.
static Value pad(KernelBody &body, Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr value) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return input;
  OpBuilder &builder = body.getBuilder();
  SmallVector<int64_t> shape(getTensorType(input).getShape());
  for (auto [axis, amount] : llvm::enumerate(shape))
    amount += low[axis] + high[axis];
  Value constant = arith::ConstantOp::create(builder, body.getLoc(), value);
  return tensor::PadOp::create(
      builder, body.getLoc(), RankedTensorType::get(shape, getTensorType(input).getElementType()), input,
      getAsIndexOpFoldResult(body.getContext(), low), getAsIndexOpFoldResult(body.getContext(), high), constant);
}

/// The cells that each window of an average counts, or one number where it is the same for all; fails where they are
/// too many to be stored.
static FailureOr<SmallVector<double>> countWindows(nn::PoolOp op) {
  ArrayRef<int64_t> inputs = getTensorType(op.getInput()).getShape().drop_front().drop_back();
  ArrayRef<int64_t> outputs = getTensorType(op.getResult()).getShape().drop_front().drop_back();
  SmallVector<SmallVector<double>> ofAxes;
  for (auto [axis, size] : llvm::enumerate(inputs)) {
    int64_t low = op.getPads()[axis], high = op.getPads()[inputs.size() + axis], window = op.getKernel()[axis];
    bool countsAll = op.getOverhang()[axis] == 0 && (op.getCountPadding() || (low == 0 && high == 0));
    if (!countsAll && outputs[axis] > maxTableEntries)
      return failure();
    int64_t before = op.getCountPadding() ? low : 0, after = op.getCountPadding() ? high : 0;
    ofAxes.push_back(countsAll ? SmallVector<double>{double(window)}
                               : countWindowCells(outputs[axis], before + size + after, low - before, window,
                                                  op.getStrides()[axis], op.getDilations()[axis]));
  }
  bool isSame = llvm::all_of(ofAxes, [](ArrayRef<double> counts) { return llvm::all_equal(counts); });
  SmallVector<double> counts = {1};
  for (auto [ofAxis, size] : llvm::zip_equal(ofAxes, outputs)) {
    int64_t entries = isSame ? 1 : size;
    if (entries > maxTableEntries / int64_t(counts.size()))
      return failure();
    ofAxis.resize(entries, ofAxis.front());
    SmallVector<double> product;
    for (double outer : counts)
      for (double inner : ofAxis)
        product.push_back(outer * inner);
    counts = std::move(product);
  }
  return counts;
}

/// Defines an average from the sum of its window.
static LogicalResult defineAverage(KernelBody &body, nn::PoolOp op, Value sum, Type accumulatorType) {
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  ArrayRef<int64_t> shape = getTensorType(op.getResult()).getShape();
  FailureOr<SmallVector<double>> counts = countWindows(op);
  if (failed(counts))
    return op.emitOpError("must have at most ")
           << maxTableEntries << " windows where padding is not counted, but is " << op.getType();
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  if (llvm::all_equal(*counts)) {
    double scale = 1.0 / counts->front();
    body.define(op.getResult(), {{sum}, {identity}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                                   return arith::MulFOp::create(b, loc, scalars[0],
                                                                emitConstant(b, loc, accumulatorType, scale));
                                 }});
    return success();
  }
  SmallVector<float> table(counts->begin(), counts->end());
  auto type = RankedTensorType::get(shape.drop_front().drop_back(), builder.getF32Type());
  Value divisor = body.readTable(DenseElementsAttr::get(type, ArrayRef<float>(table)));
  SmallVector<AffineExpr> spatial;
  for (size_t axis = 1; axis + 1 < shape.size(); ++axis)
    spatial.push_back(builder.getAffineDimExpr(axis));
  AffineMap map = AffineMap::get(shape.size(), 0, spatial, body.getContext());
  body.define(op.getResult(), {{sum, divisor}, {identity, map}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                                 Value count = scalars[1];
                                 if (accumulatorType.isF64())
                                   count = arith::ExtFOp::create(b, loc, accumulatorType, count);
                                 return arith::DivFOp::create(b, loc, scalars[0], count);
                               }});
  return success();
}

LogicalResult lowerPool(KernelBody &body, nn::PoolOp op) {
  auto type = getTensorType(op.getInput());
  Type elementType = type.getElementType(), accumulatorType = getReductionType(elementType);
  bool isAverage = op.getKind() == nn::PoolKind::Average, isUnsigned = isUnsignedOrBool(elementType);
  if (isAverage && !isa<FloatType>(elementType))
    return op.emitOpError("must average floats, but is given ") << type;
  nn::ReduceKind kind = isAverage ? nn::ReduceKind::Sum : nn::ReduceKind::Max;
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  size_t spatial = op.getKernel().size();

  SmallVector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0);
  for (size_t axis = 0; axis < spatial; ++axis) {
    low[axis + 1] = op.getPads()[axis];
    high[axis + 1] = op.getPads()[spatial + axis] + op.getOverhang()[axis];
  }
  Value input =
      pad(body, body.read(op.getInput()), low, high, getIdentity(kind, getStorageType(elementType), isUnsigned));

  // Loops: n, outputs..., c | window...
  size_t rank = spatial + 2;
  Sweep sweep;
  SmallVector<AffineExpr> x, y, window;
  for (size_t axis = 0; axis < rank; ++axis) {
    AffineExpr dim = builder.getAffineDimExpr(axis);
    y.push_back(dim);
    if (axis > 0 && axis <= spatial) {
      window.push_back(builder.getAffineDimExpr(rank + axis - 1));
      dim = dim * op.getStrides()[axis - 1] + window.back() * op.getDilations()[axis - 1];
    }
    x.push_back(dim);
  }
  sweep.shape = SmallVector<int64_t>(getTensorType(op.getResult()).getShape());
  llvm::append_range(sweep.shape, op.getKernel());
  sweep.iterators.assign(rank, parallel);
  sweep.iterators.append(spatial, reduction);
  sweep.tensors = {input, body.empty(op.getKernel(), accumulatorType)};
  sweep.maps = {AffineMap::get(rank + spatial, 0, x, body.getContext()),
                AffineMap::get(rank + spatial, 0, window, body.getContext())};
  sweep.destinationMap = AffineMap::get(rank + spatial, 0, y, body.getContext());
  sweep.destination = body.fill(getIdentity(kind, accumulatorType, isUnsigned),
                                body.getAccumulator(op.getResult(), accumulatorType, /*moreWork=*/isAverage));
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) {
    Value value = scalars[0].getType() == accumulatorType ? scalars[0] : fromStorage(b, loc, scalars[0], elementType);
    return combine(b, loc, kind, old, value, isUnsigned);
  };
  Value accumulator = body.emitSweep(sweep);
  if (!isAverage)
    body.defineAs(op.getResult(), accumulator);
  else if (failed(defineAverage(body, op, accumulator, accumulatorType)))
    return failure();
  return body.finish(accumulator);
}

LogicalResult lowerLrn(KernelBody &body, nn::LrnOp op) {
  auto type = getTensorType(op.getOperand());
  Type elementType = type.getElementType(), accumulatorType = getComputeType(elementType);
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  int64_t rank = type.getRank(), size = op.getSize();

  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  low.back() = (size - 1) / 2;
  high.back() = size / 2;
  Value x = body.read(op.getOperand());
  auto zero = cast<TypedAttr>(builder.getZeroAttr(elementType));
  Sweep sweep;
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineExpr window = builder.getAffineDimExpr(rank);
  SmallVector<AffineExpr> neighbours(identity.getResults());
  neighbours.back() = neighbours.back() + window;
  sweep.shape = SmallVector<int64_t>(type.getShape());
  sweep.shape.push_back(size);
  sweep.iterators.assign(rank, parallel);
  sweep.iterators.push_back(reduction);
  sweep.tensors = {pad(body, x, low, high, zero), body.empty({size}, accumulatorType)};
  sweep.maps = {AffineMap::get(rank + 1, 0, neighbours, body.getContext()),
                AffineMap::get(rank + 1, 0, window, body.getContext())};
  sweep.destinationMap = AffineMap::get(rank + 1, 0, identity.getResults(), body.getContext());
  sweep.destination = body.fill(getIdentity(nn::ReduceKind::Sum, accumulatorType, false),
                                body.getAccumulator(op.getResult(), accumulatorType, /*moreWork=*/true));
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) -> Value {
    Value value = fromStorage(b, loc, scalars[0], elementType);
    return arith::AddFOp::create(b, loc, old, arith::MulFOp::create(b, loc, value, value));
  };
  Value sum = body.emitSweep(sweep);

  double alpha = op.getAlpha().convertToDouble() / double(size), bias = op.getBias().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  body.define(op.getResult(),
              {{sum, x}, {identity, identity}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                 auto constant = [&](double value) { return emitConstant(b, loc, accumulatorType, value); };
                 Value scaled = arith::MulFOp::create(b, loc, scalars[0], constant(alpha));
                 Value base = arith::AddFOp::create(b, loc, scaled, constant(bias));
                 Value power = emitPower(b, loc, base, constant(beta));
                 return arith::DivFOp::create(b, loc, fromStorage(b, loc, scalars[1], elementType), power);
               }});
  return body.finish();
}

//===----------------------------------------------------------------------===//
// 3. Strided slices
//===----------------------------------------------------------------------===//

LogicalResult lowerSlice(KernelBody &body, nn::SliceOp op) {
  SmallVector<AffineExpr> position;
  for (auto [axis, start] : llvm::enumerate(op.getStarts()))
    position.push_back(body.getBuilder().getAffineDimExpr(axis) * op.getSteps()[axis] + start);
  Type elementType = getTensorType(op.getOperand()).getElementType();
  Location loc = body.getLoc();
  body.define(op.getResult(),
              {{body.read(op.getOperand())},
               {AffineMap::get(position.size(), 0, position, body.getContext())},
               [=](OpBuilder &b, ValueRange scalars) { return fromStorage(b, loc, scalars[0], elementType); }});
  return body.finish();
}

} // namespace nacre::kernels
