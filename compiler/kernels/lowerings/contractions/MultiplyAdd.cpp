// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace nacre::kernels {

Value widen(OpBuilder &b, Location loc, Value scalar, Type elementType, Type sumType) {
  Value number = fromStorage(b, loc, scalar, elementType);
  if (number.getType() == sumType)
    return number;
  if (elementType.isUnsignedInteger())
    return arith::ExtUIOp::create(b, loc, sumType, number);
  return arith::ExtSIOp::create(b, loc, sumType, number);
}

Value readLeft(KernelBody &body, Value left) {
  for (Operation *member : body.getGroup().members)
    if (auto normalize = dyn_cast<nn::NormalizeOp>(member))
      defineNormalized(body, normalize);
  return body.readOrMake(left);
}

Value addProducts(KernelBody &body, Value destination, std::pair<Value, Value> factors, ValueRange inputs,
                  ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators) {
  Type accumulatorType = elementTypeOf(destination);
  Type left = elementTypeOf(factors.first), right = elementTypeOf(factors.second);
  Value zero = body.fill(cast<TypedAttr>(body.getBuilder().getZeroAttr(accumulatorType)), destination);
  auto build = [&](OpBuilder &b, Location loc, ValueRange scalars) {
    Value x = widen(b, loc, scalars[0], left, accumulatorType);
    Value w = widen(b, loc, scalars[1], right, accumulatorType);
    Value sum;
    if (isa<FloatType>(accumulatorType))
      sum = arith::AddFOp::create(b, loc, scalars.back(), arith::MulFOp::create(b, loc, x, w));
    else
      sum = arith::AddIOp::create(b, loc, scalars.back(), arith::MulIOp::create(b, loc, x, w));
    linalg::YieldOp::create(b, loc, sum);
  };
  return linalg::GenericOp::create(body.getBuilder(), body.getLoc(), zero.getType(), inputs, zero, maps, iterators,
                                   build)
      .getResult(0);
}

LogicalResult finishContraction(KernelBody &body, Value result, std::pair<Value, Value> factors, ValueRange inputs,
                                ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators) {
  Value destination = body.getAccumulator(result, getComputeType(elementTypeOf(result)));
  Value accumulator = addProducts(body, destination, factors, inputs, maps, iterators);
  body.defineAs(result, accumulator);
  body.defineParts(result);
  return body.finish(accumulator);
}

} // namespace nacre::kernels
