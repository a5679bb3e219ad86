// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/TableReads.h"

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

nn::GatherOp getTableRead(Operation *op) {
  auto gather = dyn_cast<nn::GatherOp>(op);
  if (!gather || !gather.getOperand().getDefiningOp<nn::ConstantOp>())
    return {};
  auto type = cast<RankedTensorType>(gather.getOperand().getType());
  return type.getRank() == 1 && type.getNumElements() > 0 ? gather : nn::GatherOp();
}

std::optional<ByteIndex> readByteIndex(nn::GatherOp op, llvm::function_ref<bool(Value)> mayPass) {
  auto table = cast<RankedTensorType>(op.getOperand().getType());
  if (table.getNumElements() != 256 || !getStorageType(table.getElementType()).isInteger(8))
    return std::nullopt;
  Value index = op.getIndices();
  int64_t added = 0;
  if (auto sum = index.getDefiningOp<nn::BinaryOp>(); sum && sum.getKind() == nn::BinaryKind::Add && mayPass(index)) {
    auto number = dyn_cast_or_null<IntegerAttr>(getSplat(sum.getRhs()));
    if (!number)
      return std::nullopt;
    added = number.getInt();
    index = sum.getLhs();
  }
  auto widened = index.getDefiningOp<nn::CastOp>();
  if (!widened || !mayPass(index) || !elementTypeOf(widened.getOperand()).isInteger(8))
    return std::nullopt;
  // Without an addition, a negative index counts from the end, so its entry is that of the unsigned byte.
  const bool isSigned = added == -INT8_MIN && !elementTypeOf(widened.getOperand()).isUnsignedInteger();
  return added == 0 || isSigned ? std::optional(ByteIndex{widened.getOperand(), isSigned}) : std::nullopt;
}

Value emitByteLookup(OpBuilder &builder, nn::GatherOp op, const ByteIndex &index, Value table, Value byte) {
  Value entry = plan::LookupOp::create(builder, op.getLoc(), byte.getType(), byte, table, index.isSigned);
  return fromStorage(builder, op.getLoc(), entry, cast<RankedTensorType>(op.getOperand().getType()).getElementType());
}

Value emitClampedIndex(OpBuilder &builder, Location loc, Value index, int64_t size) {
  auto constant = [&](int64_t value) { return emitConstant(builder, loc, index.getType(), double(value)); };
  Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, constant(0));
  index = arith::SelectOp::create(builder, loc, isNegative, arith::AddIOp::create(builder, loc, index, constant(size)),
                                  index);
  index = arith::MinSIOp::create(builder, loc, arith::MaxSIOp::create(builder, loc, index, constant(0)),
                                 constant(size - 1));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
}

Value emitTableRead(OpBuilder &builder, nn::GatherOp op, Value table, Value index) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  Value at = emitClampedIndex(builder, op.getLoc(), index, type.getNumElements());
  Value element = tensor::ExtractOp::create(builder, op.getLoc(), table, at);
  return fromStorage(builder, op.getLoc(), element, type.getElementType());
}

} // namespace nacre::kernels
