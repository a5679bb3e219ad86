// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers transposes, gathers and the index of an extreme.
//
// 1. Transposes.
// 2. Gathers, whose indices are a tensor.
// 3. arg_reduce: a reduction with two accumulators.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/bodies/TableReads.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. Transposes
//===----------------------------------------------------------------------===//

LogicalResult lowerTranspose(KernelBody &body, nn::TransposeOp op) {
  if (Operation *product = getTransposedProduct(op))
    return lowerTransposed(body, product, op);
  ArrayRef<int64_t> permutation = op.getPermutation();
  AffineMap map = AffineMap::getPermutationMap(invertPermutationVector(permutation), body.getContext());
  Type elementType = typeOf(op.getOperand()).getElementType();
  Location loc = body.getLoc();
  body.define(op.getResult(), {{body.read(op.getOperand())}, {map}, [=](OpBuilder &b, ValueRange scalars) {
                                 return fromStorage(b, loc, scalars[0], elementType);
                               }});
  return body.finish();
}

//===----------------------------------------------------------------------===//
// 2. Gathers
//===----------------------------------------------------------------------===//

static void defineGather(KernelBody &body, nn::GatherOp op) {
  auto type = typeOf(op.getOperand());
  int64_t axis = op.getAxis(), indexRank = typeOf(op.getIndices()).getRank();
  int64_t rank = typeOf(op.getResult()).getRank(), size = type.getDimSize(axis);
  Value source = body.read(op.getOperand()), indices = body.read(op.getIndices());
  SmallVector<AffineExpr> position;
  for (int64_t i = 0; i < indexRank; ++i)
    position.push_back(body.getBuilder().getAffineDimExpr(axis + i));
  Type elementType = type.getElementType();
  Location loc = body.getLoc();
  auto scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    Value index = emitClampedIndex(b, loc, scalars[0], size);
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim == axis)
        at.push_back(index);
      else
        at.push_back(linalg::IndexOp::create(b, loc, dim < axis ? dim : dim + indexRank - 1));
    }
    return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, source, at), elementType);
  };
  body.define(op.getResult(), {{indices}, {AffineMap::get(rank, 0, position, body.getContext())}, scalar});
}

LogicalResult lowerGather(KernelBody &body, nn::GatherOp op) {
  defineGather(body, op);
  for (Operation *member : body.getGroup().members)
    if (auto other = dyn_cast<nn::GatherOp>(member); other && other != op)
      defineGather(body, other);
  return body.finish();
}

LogicalResult lowerGatherNd(KernelBody &body, nn::GatherNdOp op) {
  auto type = typeOf(op.getOperand()), indexType = typeOf(op.getIndices());
  const int64_t batches = op.getBatchDims(), coordinates = indexType.getShape().back();
  const int64_t rank = typeOf(op.getResult()).getRank(), rows = indexType.getRank() - 1;
  Value source = body.read(op.getOperand()), indices = body.read(op.getIndices());
  Definition definition;
  for (int64_t coordinate = 0; coordinate < coordinates; ++coordinate) {
    SmallVector<AffineExpr> position;
    for (int64_t dim = 0; dim < rows; ++dim)
      position.push_back(body.getBuilder().getAffineDimExpr(dim));
    position.push_back(body.getBuilder().getAffineConstantExpr(coordinate));
    definition.tensors.push_back(indices);
    definition.maps.push_back(AffineMap::get(rank, 0, position, body.getContext()));
  }
  Location loc = body.getLoc();
  definition.scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim >= batches && dim < batches + coordinates)
        at.push_back(emitClampedIndex(b, loc, scalars[dim - batches], type.getDimSize(dim)));
      else
        at.push_back(linalg::IndexOp::create(b, loc, dim < batches ? dim : dim - batches - coordinates + rows));
    }
    return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, source, at), type.getElementType());
  };
  body.define(op.getResult(), std::move(definition));
  return body.finish();
}

LogicalResult lowerGatherElements(KernelBody &body, nn::GatherElementsOp op) {
  auto type = typeOf(op.getOperand());
  const int64_t rank = type.getRank(), axis = op.getAxis();
  Value source = body.read(op.getOperand()), indices = body.read(op.getIndices());
  Location loc = body.getLoc();
  auto scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < rank; ++dim)
      at.push_back(dim == axis ? emitClampedIndex(b, loc, scalars[0], type.getDimSize(axis))
                               : linalg::IndexOp::create(b, loc, dim).getResult());
    return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, source, at), type.getElementType());
  };
  body.define(op.getResult(), {{indices}, {body.getBuilder().getMultiDimIdentityMap(rank)}, scalar});
  return body.finish();
}

//===----------------------------------------------------------------------===//
// 3. The index of an extreme
//===----------------------------------------------------------------------===//

LogicalResult lowerArgReduce(KernelBody &body, nn::ArgReduceOp op) {
  auto type = typeOf(op.getOperand());
  Type elementType = type.getElementType(), computeType = getComputeType(elementType);
  bool isUnsigned = elementType.isUnsignedInteger() || elementType.isInteger(1);
  bool isMax = op.getKind() == nn::ArgKind::Max;
  int64_t axis = op.getAxis(), rank = type.getRank();
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();

  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis)
      kept.push_back(builder.getAffineDimExpr(dim));
    else if (op.getKeepDims())
      kept.push_back(builder.getAffineConstantExpr(0));
  }
  AffineMap identity = builder.getMultiDimIdentityMap(rank), row = AffineMap::get(rank, 0, kept, body.getContext());

  Value input = body.read(op.getOperand()), target = body.getTarget();
  nn::ReduceKind kind = isMax ? nn::ReduceKind::Max : nn::ReduceKind::Min;
  Type valueType = elementType.isInteger(1) ? getStorageType(elementType) : computeType;
  Value best = body.fill(getIdentity(kind, valueType, isUnsigned), body.empty(typeOf(target).getShape(), valueType));
  Value index = body.fill(builder.getI64IntegerAttr(0), target);
  auto build = [&](OpBuilder &b, Location, ValueRange scalars) {
    Value value = scalars[0].getType() == valueType ? scalars[0] : fromStorage(b, loc, scalars[0], elementType);
    Value better;
    if (isa<FloatType>(valueType)) {
      auto greater = op.getSelectLast() ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT;
      auto less = op.getSelectLast() ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT;
      better = arith::CmpFOp::create(b, loc, isMax ? greater : less, value, scalars[1]);
    } else {
      using Predicate = arith::CmpIPredicate;
      Predicate greater = op.getSelectLast() ? (isUnsigned ? Predicate::uge : Predicate::sge)
                                             : (isUnsigned ? Predicate::ugt : Predicate::sgt);
      Predicate less = op.getSelectLast() ? (isUnsigned ? Predicate::ule : Predicate::sle)
                                          : (isUnsigned ? Predicate::ult : Predicate::slt);
      better = arith::CmpIOp::create(b, loc, isMax ? greater : less, value, scalars[1]);
    }
    Value here = arith::IndexCastOp::create(b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, axis));
    linalg::YieldOp::create(b, loc,
                            ValueRange{arith::SelectOp::create(b, loc, better, value, scalars[1]),
                                       arith::SelectOp::create(b, loc, better, here, scalars[2])});
  };
  auto generic =
      linalg::GenericOp::create(builder, loc, TypeRange{best.getType(), index.getType()}, input,
                                ValueRange{best, index}, ArrayRef<AffineMap>{identity, row, row}, iterators, build);
  return body.finishWith(generic.getResult(1));
}

} // namespace nacre::kernels
