// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/HalfBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

std::optional<APFloat> constantOf(Value value) {
  FloatAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? std::optional(constant.getValue()) : std::nullopt;
}

/// Rounds `number`, and sets `isExact` if this changes nothing.
APFloat roundedToHalf(APFloat number, bool &isExact) {
  bool loses;
  number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
  isExact = !loses;
  return number;
}

bool isBound(Operation *op) { return isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op); }

/// True if `value`, an f32, is always a half.
bool isHalf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto extension = dyn_cast_or_null<arith::ExtFOp>(op))
    return extension.getIn().getType().isF16();
  if (isBound(op))
    return llvm::all_of(op->getOperands(), isHalf);
  bool isExact = false;
  if (std::optional<APFloat> constant = constantOf(value))
    roundedToHalf(*constant, isExact);
  return isExact;
}

/// Returns `value`, an f32, rounded to f16. Operations are created by `ops`.
Value narrow(OpBuilder &ops, Location loc, Value value) {
  const Type half = ops.getF16Type();
  if (std::optional<APFloat> constant = constantOf(value)) {
    bool isExact;
    return arith::ConstantOp::create(ops, loc, ops.getFloatAttr(half, roundedToHalf(*constant, isExact)));
  }
  Operation *op = value.getDefiningOp();
  if (auto extension = dyn_cast_or_null<arith::ExtFOp>(op); extension && extension.getIn().getType() == half)
    return extension.getIn();
  // If neither operand is a half, both would have to be rounded.
  const bool isBounded =
      isBound(op) && llvm::any_of(op->getOperands(), [](Value bound) { return constantOf(bound) || isHalf(bound); });
  const bool isOfHalves =
      isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) && llvm::all_of(op->getOperands(), isHalf);
  if (!isBounded && !isOfHalves)
    return arith::TruncFOp::create(ops, loc, half, value);
  const SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return narrow(ops, loc, operand); });
  return ops.create(loc, op->getName().getIdentifier(), operands, half, op->getAttrs())->getResult(0);
}

} // namespace

std::unique_ptr<Block> bodyInHalves(Block &body, ArrayRef<unsigned> halves) {
  auto copy = std::make_unique<Block>();
  OpBuilder ops(body.getParentOp()->getContext());
  ops.setInsertionPointToEnd(copy.get());
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments()) {
    const bool isHalf = llvm::is_contained(halves, argument.getArgNumber());
    Value added = copy->addArgument(isHalf ? Type(ops.getF16Type()) : argument.getType(), argument.getLoc());
    if (isHalf)
      added = arith::ExtFOp::create(ops, argument.getLoc(), argument.getType(), added);
    mapping.map(argument, added);
  }
  for (Operation &op : body)
    ops.clone(op, mapping);

  for (auto rounding : llvm::make_early_inc_range(copy->getOps<arith::TruncFOp>()))
    if (rounding.getType().isF16() && rounding.getIn().getType().isF32()) {
      ops.setInsertionPoint(rounding);
      rounding.replaceAllUsesWith(narrow(ops, rounding.getLoc(), rounding.getIn()));
      rounding.erase();
    }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*copy)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return copy;
}

} // namespace nacre::codegen::cpu
