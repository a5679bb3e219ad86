// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. find the f16 value of an f32 value, from its operands on; 2. replace roundings and comparisons by it.

#include "codegen/cpu/halves/NarrowBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// True if rounding to f16 commutes with `op`, whatever its operands are.
bool commutesWithRounding(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::NegFOp, math::AbsFOp>(op);
}

/// True if f16 has all results of `op`, if its operand is exact.
bool roundsToInteger(Operation *op) {
  return isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
}

/// True if rounding the result of `op` to f32 before f16 makes no difference, if its operands are exact.
bool roundsTwiceAlike(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::SqrtOp>(op);
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Values
//===----------------------------------------------------------------------===//

std::optional<BodyNarrower::Half> BodyNarrower::find(Value wide) {
  if (auto known = found.find(wide); known != found.end())
    return known->second;
  std::optional<Half> half = compute(wide);
  found[wide] = half;
  return half;
}

std::optional<BodyNarrower::Half> BodyNarrower::compute(Value wide) {
  if (!wide.getType().isF32())
    return std::nullopt;
  if (auto extend = wide.getDefiningOp<arith::ExtFOp>(); extend && extend.getIn().getType().isF16())
    return Half{extend.getIn(), true};
  if (llvm::APFloat number(0.0f); matchPattern(wide, m_ConstantFloat(&number))) {
    bool loses = false;
    number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
    builder.setInsertionPointToStart(&body);
    return Half{arith::ConstantOp::create(builder, wide.getLoc(), builder.getFloatAttr(builder.getF16Type(), number)),
                !loses};
  }
  Operation *op = wide.getDefiningOp();
  return op && op->getBlock() == &body ? computeOperation(op) : std::nullopt;
}

std::optional<BodyNarrower::Half> BodyNarrower::computeOperation(Operation *op) {
  const bool selects = isa<arith::SelectOp>(op);
  if (!selects && !commutesWithRounding(op) && !roundsToInteger(op) && !roundsTwiceAlike(op))
    return std::nullopt;
  SmallVector<Value> operands;
  bool areExact = true;
  for (Value operand : op->getOperands().drop_front(selects ? 1 : 0)) {
    std::optional<Half> half = find(operand);
    if (!half)
      return std::nullopt;
    operands.push_back(half->value);
    areExact &= half->isExact;
  }
  if (!areExact && (roundsToInteger(op) || roundsTwiceAlike(op)))
    return std::nullopt;
  if (selects)
    operands.insert(operands.begin(), op->getOperand(0));
  return Half{narrowed(op, operands, builder.getF16Type()), areExact && !roundsTwiceAlike(op)};
}

/// Returns the result of an operation like `op` of other operands, without permissions to compute it differently.
Value BodyNarrower::narrowed(Operation *op, ValueRange operands, Type type) {
  builder.setInsertionPoint(op);
  Operation *created = builder.create(op->getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs());
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(created))
    created->setAttr(flags.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::none));
  return created->getResult(0);
}

Value BodyNarrower::exactHalf(Value wide) {
  std::optional<Half> half = find(wide);
  return half && half->isExact ? half->value : Value();
}

//===----------------------------------------------------------------------===//
// 2. Bodies
//===----------------------------------------------------------------------===//

void BodyNarrower::narrowArgument(unsigned number) {
  BlockArgument argument = body.getArgument(number);
  const Type wide = argument.getType();
  argument.setType(builder.getF16Type());
  if (argument.use_empty())
    return;
  builder.setInsertionPointToStart(&body);
  auto extended = arith::ExtFOp::create(builder, argument.getLoc(), wide, argument);
  argument.replaceAllUsesExcept(extended, extended);
}

/// Returns the comparison of f16 with the result of `op`; null if `op` compares other values.
Value BodyNarrower::narrowedComparison(Operation *op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare)
    return {};
  Value left = exactHalf(compare.getLhs()), right = exactHalf(compare.getRhs());
  return left && right ? narrowed(op, {left, right}, op->getResult(0).getType()) : Value();
}

void BodyNarrower::narrow() {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    Value half = narrowedComparison(&op);
    if (auto truncate = dyn_cast<arith::TruncFOp>(op);
        truncate && truncate.getType().isF16() && !truncate.getRoundingmode())
      if (std::optional<Half> rounded = find(truncate.getIn()))
        half = rounded->value;
    if (half)
      op.getResult(0).replaceAllUsesWith(half);
  }
  erase();
}

void BodyNarrower::erase() {
  found.clear();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool BodyNarrower::computesInHalves() const {
  auto isWide = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() > 16; };
  return llvm::none_of(body.getArgumentTypes(), isWide) && llvm::none_of(body, [&](Operation &op) {
           return llvm::any_of(op.getResultTypes(), isWide) || llvm::any_of(op.getOperandTypes(), isWide);
         });
}

} // namespace nacre::codegen::cpu
