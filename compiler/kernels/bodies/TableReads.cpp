// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/TableReads.h"

#include "compiler/kernels/bodies/ElementTypes.h"

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
