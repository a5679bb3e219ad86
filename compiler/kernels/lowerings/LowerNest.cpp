// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers reductions and strided slices. The kernel has a fill with the identity, one generic over parallel and
// reduction loops, and the epilogue.
//
// 1. Reductions.
// 2. Strided slices.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

/// Returns the type in which a reduction computes: bytes for booleans, the compute type for all others.
static Type getReductionType(Type elementType) {
  return elementType.isInteger(1) ? getStorageType(elementType) : getComputeType(elementType);
}

static bool isUnsignedOrBool(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

//===----------------------------------------------------------------------===//
// 1. Reductions
//===----------------------------------------------------------------------===//

/// Emits the integer mean. The mean of no elements is 0.
static Value divideInteger(OpBuilder &builder, Location loc, Value sum, int64_t count, bool isUnsigned) {
  Type type = sum.getType(), wide = builder.getI64Type();
  if (count == 0)
    return emitConstant(builder, loc, type, 0);
  // Narrow types may not be able to represent `count`.
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
  auto type = typeOf(op.getOperand());
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
// 2. Strided slices
//===----------------------------------------------------------------------===//

LogicalResult lowerSlice(KernelBody &body, nn::SliceOp op) {
  StridedOperand source{op.getOperand(), llvm::to_vector(llvm::seq<int64_t>(0, op.getStarts().size()))};
  if (readsThroughTransposes(op))
    source = readThroughTranspose(op.getOperand());
  SmallVector<AffineExpr> position;
  for (int64_t axis : source.axes)
    position.push_back(body.getBuilder().getAffineDimExpr(axis) * op.getSteps()[axis] + op.getStarts()[axis]);
  Type elementType = typeOf(op.getOperand()).getElementType();
  Location loc = body.getLoc();
  body.define(op.getResult(),
              {{body.read(source.source)},
               {AffineMap::get(position.size(), 0, position, body.getContext())},
               [=](OpBuilder &b, ValueRange scalars) { return fromStorage(b, loc, scalars[0], elementType); }});
  return body.finish();
}

} // namespace nacre::kernels
