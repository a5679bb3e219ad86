// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  transposes; operators that read their source at computed indices: gather, resize, pads; and the index of an
//        extreme.
// How:   1. transposes; 2. gather; 3. tables: resize and pads; 4. arg_reduce, a scan with two accumulators.

#include "compiler/kernels/forms/AxisTables.h"
#include "compiler/kernels/forms/Lowering.h"
#include "compiler/kernels/forms/ScalarBodies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

static RankedTensorType getTensorType(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

//===----------------------------------------------------------------------===//
// 1. Transposes
//===----------------------------------------------------------------------===//

LogicalResult lowerTranspose(KernelBody &body, nn::TransposeOp op) {
  if (nn::MatMulOp product = getTransposedProduct(op))
    return lowerMatMul(body, product, op);
  ArrayRef<int64_t> permutation = op.getPermutation();
  AffineMap map = AffineMap::getPermutationMap(invertPermutationVector(permutation), body.getContext());
  Type elementType = getTensorType(op.getOperand()).getElementType();
  Location loc = body.getLoc();
  body.define(op.getResult(), {{body.read(op.getOperand())}, {map}, [=](OpBuilder &b, ValueRange scalars) {
                                 return fromStorage(b, loc, scalars[0], elementType);
                               }});
  return body.finish();
}

//===----------------------------------------------------------------------===//
// 2. Gather
//===----------------------------------------------------------------------===//

LogicalResult lowerGather(KernelBody &body, nn::GatherOp op) {
  auto type = getTensorType(op.getOperand());
  int64_t axis = op.getAxis(), indexRank = getTensorType(op.getIndices()).getRank();
  int64_t rank = getTensorType(op.getResult()).getRank(), size = type.getDimSize(axis);
  Value source = body.read(op.getOperand()), indices = body.read(op.getIndices());
  SmallVector<AffineExpr> position;
  for (int64_t i = 0; i < indexRank; ++i)
    position.push_back(body.getBuilder().getAffineDimExpr(axis + i));
  Type elementType = type.getElementType();
  Location loc = body.getLoc();
  auto scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    // Negative indices count from the end; what is out of range is clamped, so that nothing else can be read.
    Value index = scalars[0];
    auto constant = [&](int64_t value) { return emitConstant(b, loc, index.getType(), double(value)); };
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, constant(0));
    index = arith::SelectOp::create(b, loc, isNegative, arith::AddIOp::create(b, loc, index, constant(size)), index);
    index = arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, index, constant(0)), constant(size - 1));
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim == axis)
        at.push_back(arith::IndexCastOp::create(b, loc, b.getIndexType(), index));
      else
        at.push_back(linalg::IndexOp::create(b, loc, dim < axis ? dim : dim + indexRank - 1));
    }
    return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, source, at), elementType);
  };
  body.define(op.getResult(), {{indices}, {AffineMap::get(rank, 0, position, body.getContext())}, scalar});
  return body.finish();
}

//===----------------------------------------------------------------------===//
// 3. Tables
//===----------------------------------------------------------------------===//

/// Whether the axis is short enough for tables of 32-bit indices; an error at `op` where not.
static LogicalResult checkTableSize(Operation *op, int64_t axis, int64_t from, int64_t to) {
  if (from <= INT32_MAX && to <= maxTableEntries)
    return success();
  return op->emitOpError("axis ") << axis << " must have at most " << INT32_MAX << " elements and become at most "
                                  << maxTableEntries << ", but has " << from << " and becomes " << to;
}

/// Defines `result` as `operand` read through one table per axis; null where an axis is read as it is.
static LogicalResult finishWithTables(KernelBody &body, Value result, Value operand,
                                      ArrayRef<std::optional<AxisTable>> tables) {
  auto type = getTensorType(operand);
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  Value source = body.read(operand);

  Definition definition;
  struct Axis {
    int64_t axis, low, high = -1, weight = -1; // Positions among the scalars.
  };
  SmallVector<Axis> axes;
  for (auto [axis, table] : llvm::enumerate(tables)) {
    if (!table)
      continue;
    AffineMap map = AffineMap::get(type.getRank(), 0, builder.getAffineDimExpr(axis), body.getContext());
    auto addTable = [&](auto values, Type elementType) -> int64_t {
      auto tableType = RankedTensorType::get({int64_t(values.size())}, elementType);
      definition.tensors.push_back(body.readTable(DenseElementsAttr::get(tableType, values)));
      definition.maps.push_back(map);
      return definition.tensors.size() - 1;
    };
    Axis entry{int64_t(axis), addTable(ArrayRef<int32_t>(table->low), builder.getI32Type())};
    if (!table->high.empty()) {
      entry.high = addTable(ArrayRef<int32_t>(table->high), builder.getI32Type());
      entry.weight = addTable(ArrayRef<float>(table->weights), builder.getF32Type());
    }
    axes.push_back(entry);
  }

  Type elementType = type.getElementType(), computeType = getComputeType(elementType);
  int64_t rank = type.getRank();
  definition.scalar = [=](OpBuilder &b, ValueRange scalars) -> Value {
    SmallVector<Value> position;
    for (int64_t axis = 0; axis < rank; ++axis)
      position.push_back(linalg::IndexOp::create(b, loc, axis));
    auto toIndex = [&](int64_t scalar) -> Value {
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[scalar]);
    };
    // The axes from the outermost: the elements at both ends of an axis, then between them.
    std::function<Value(size_t)> readFrom = [&](size_t at) -> Value {
      if (at == axes.size())
        return fromStorage(b, loc, tensor::ExtractOp::create(b, loc, source, position), elementType);
      const Axis &entry = axes[at];
      position[entry.axis] = toIndex(entry.low);
      Value low = readFrom(at + 1);
      if (entry.high < 0)
        return low;
      position[entry.axis] = toIndex(entry.high);
      Value high = readFrom(at + 1);
      Value weight = scalars[entry.weight];
      if (computeType.isF64())
        weight = arith::ExtFOp::create(b, loc, computeType, weight);
      Value difference = arith::SubFOp::create(b, loc, high, low);
      return arith::AddFOp::create(b, loc, low, arith::MulFOp::create(b, loc, difference, weight));
    };
    return readFrom(0);
  };
  body.define(result, std::move(definition));
  return body.finish();
}

LogicalResult lowerResize(KernelBody &body, nn::ResizeOp op) {
  auto input = getTensorType(op.getOperand()), output = getTensorType(op.getResult());
  bool isLinear = op.getKind() == nn::ResizeKind::Linear;
  if (isLinear && !isa<FloatType>(input.getElementType()))
    return op.emitOpError("must interpolate floats, but is given ") << input;
  SmallVector<std::optional<AxisTable>> tables(input.getRank());
  for (int64_t axis = 0; axis < input.getRank(); ++axis) {
    int64_t from = input.getDimSize(axis), to = output.getDimSize(axis);
    double scale = op.getScales()[axis];
    if (from == to && scale == 1)
      continue;
    if (failed(checkTableSize(op, axis, from, to)))
      return failure();
    tables[axis] = isLinear ? makeLinearTable(from, to, scale, op.getCoordinates())
                            : makeNearestTable(from, to, scale, op.getCoordinates(), op.getRounding());
  }
  return finishWithTables(body, op.getResult(), op.getOperand(), tables);
}

LogicalResult lowerPad(KernelBody &body, nn::PadOp op) {
  assert(op.getMode() != nn::PadMode::Constant && "is no kernel");
  auto type = getTensorType(op.getOperand());
  SmallVector<std::optional<AxisTable>> tables(type.getRank());
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (op.getLow()[axis] == 0 && op.getHigh()[axis] == 0)
      continue;
    if (failed(checkTableSize(op, axis, type.getDimSize(axis), op.getType().getDimSize(axis))))
      return failure();
    tables[axis] = makePadTable(type.getDimSize(axis), op.getLow()[axis], op.getHigh()[axis], op.getMode());
  }
  return finishWithTables(body, op.getResult(), op.getOperand(), tables);
}

//===----------------------------------------------------------------------===//
// 4. The index of an extreme
//===----------------------------------------------------------------------===//

LogicalResult lowerArgReduce(KernelBody &body, nn::ArgReduceOp op) {
  auto type = getTensorType(op.getOperand());
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
  Value best =
      body.fill(getIdentity(kind, valueType, isUnsigned), body.empty(getTensorType(target).getShape(), valueType));
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
