// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers maxima and averages of windows, and normalization over neighbouring channels. The kernel has a fill with the
// identity, one generic over parallel loops and window loops, and the epilogue.

#include "compiler/kernels/bodies/AxisTables.h"
#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/windows/WindowLoops.h"
#include "compiler/kernels/lowerings/windows/WindowSource.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

/// Returns the number of cells that each window of an average counts, or one value if all windows count the same
/// number. Fails if the values would exceed the limit of a table.
static FailureOr<SmallVector<double>> countWindows(nn::PoolOp op) {
  ArrayRef<int64_t> inputs = typeOf(op.getInput()).getShape().drop_front().drop_back();
  ArrayRef<int64_t> outputs = typeOf(op.getResult()).getShape().drop_front().drop_back();
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

/// Defines the result of an average as the sum of each window divided by its number of cells.
static LogicalResult defineAverage(KernelBody &body, nn::PoolOp op, Value sum, Type accumulatorType) {
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  FailureOr<SmallVector<double>> counts = countWindows(op);
  if (failed(counts))
    return op.emitOpError("must have at most ")
           << maxTableEntries << " windows where padding is not counted, but is " << op.getType();
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  // GPUs may divide zero by zero to zero, but the average of nothing is NaN.
  const bool hasEmpty = llvm::is_contained(*counts, 0);
  if (llvm::all_equal(*counts)) {
    const double scale = 1.0 / counts->front();
    body.define(op.getResult(), {{sum}, {identity}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                                   if (hasEmpty)
                                     return emitConstant(b, loc, accumulatorType, std::nan(""));
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
  body.define(op.getResult(),
              {{sum, divisor}, {identity, map}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                 auto constant = [&](double value) { return emitConstant(b, loc, accumulatorType, value); };
                 Value count = scalars[1];
                 if (accumulatorType.isF64())
                   count = arith::ExtFOp::create(b, loc, accumulatorType, count);
                 Value average = arith::DivFOp::create(b, loc, scalars[0], count);
                 if (!hasEmpty)
                   return average;
                 Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count, constant(0));
                 return arith::SelectOp::create(b, loc, isEmpty, constant(std::nan("")), average);
               }});
  return success();
}

LogicalResult lowerPool(KernelBody &body, nn::PoolOp op) {
  Type elementType = typeOf(op.getInput()).getElementType(), accumulatorType = getComputeType(elementType);
  const bool isAverage = op.getKind() == nn::PoolKind::Average, isUnsigned = elementType.isUnsignedInteger();
  nn::ReduceKind kind = isAverage ? nn::ReduceKind::Sum : nn::ReduceKind::Max;
  Location loc = body.getLoc();
  const WindowLoops windows(op);
  const WindowSource source = getWindowSource(body, op.getInput());
  Sweep sweep = windows.sweep();
  sweep.tensors = {windows.pad(body, source.tensor,
                               isAverage ? source.around : getIdentity(kind, getStorageType(elementType), isUnsigned)),
                   body.empty(op.getKernel(), accumulatorType)};
  sweep.destination = body.fill(getIdentity(kind, accumulatorType, isUnsigned),
                                body.getAccumulator(op.getResult(), accumulatorType, /*moreWork=*/isAverage));
  sweep.maps = {windows.cells, windows.window};
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) {
    return combine(b, loc, kind, old, source.load(b, loc, scalars[0]), isUnsigned);
  };
  Value accumulator = body.emitSweep(sweep);
  if (!isAverage) {
    body.defineAs(op.getResult(), accumulator);
    for (Operation *member : body.getGroup().members)
      if (auto code = dyn_cast<nn::PoolCodeOp>(member))
        defineCodes(body, code, accumulator);
  }
  if (isAverage && failed(defineAverage(body, op, accumulator, accumulatorType)))
    return failure();
  return body.finish(accumulator);
}

LogicalResult lowerLrn(KernelBody &body, nn::LrnOp op) {
  auto type = typeOf(op.getOperand());
  Type accumulatorType = getComputeType(type.getElementType());
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  int64_t rank = type.getRank(), size = op.getSize();

  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  low.back() = (size - 1) / 2;
  high.back() = size / 2;
  const WindowSource source = getWindowSource(body, op.getOperand());
  Value x = body.read(source.tensor);
  Sweep sweep;
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineExpr window = builder.getAffineDimExpr(rank);
  SmallVector<AffineExpr> neighbours(identity.getResults());
  neighbours.back() = neighbours.back() + window;
  sweep.shape = SmallVector<int64_t>(type.getShape());
  sweep.shape.push_back(size);
  sweep.iterators.assign(rank, utils::IteratorType::parallel);
  sweep.iterators.push_back(utils::IteratorType::reduction);
  sweep.tensors = {padWith(body, x, low, high, source.around), body.empty({size}, accumulatorType)};
  sweep.maps = {AffineMap::get(rank + 1, 0, neighbours, body.getContext()),
                AffineMap::get(rank + 1, 0, window, body.getContext())};
  sweep.destinationMap = AffineMap::get(rank + 1, 0, identity.getResults(), body.getContext());
  sweep.destination = body.fill(getIdentity(nn::ReduceKind::Sum, accumulatorType, false),
                                body.getAccumulator(op.getResult(), accumulatorType, /*moreWork=*/true));
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) -> Value {
    Value value = source.load(b, loc, scalars[0]);
    return arith::AddFOp::create(b, loc, old, arith::MulFOp::create(b, loc, value, value));
  };
  Value sum = body.emitSweep(sweep);

  double alpha = op.getAlpha().convertToDouble() / double(size), bias = op.getBias().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  body.define(op.getResult(), {{sum, x}, {identity, identity}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                                 auto constant = [&](double value) {
                                   return emitConstant(b, loc, accumulatorType, value);
                                 };
                                 Value scaled = arith::MulFOp::create(b, loc, scalars[0], constant(alpha));
                                 Value base = arith::AddFOp::create(b, loc, scaled, constant(bias));
                                 Value power = emitPower(b, loc, base, constant(beta));
                                 return arith::DivFOp::create(b, loc, source.load(b, loc, scalars[1]), power);
                               }});
  return body.finish();
}

} // namespace nacre::kernels
