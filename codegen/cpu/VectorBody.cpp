// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's traps stay out: a zero divisor becomes one, and so does -1, whose quotient is the negated dividend.

#include "codegen/cpu/VectorBody.h"

#include "codegen/cpu/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp>(op);
}

bool isTranscendental(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp, math::RoundOp,
              math::CopySignOp, math::FmaOp, math::SqrtOp, math::RsqrtOp, math::IsNaNOp, math::IsInfOp>(op);
}

Value compare(VectorBuilder &builder, arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder.ops, builder.loc, predicate, a, b);
}

/// A divisor that traps is replaced by one; for -1, the quotient is the negated dividend and the remainder zero.
Value emitDivision(VectorBuilder &builder, Operation *op, Value dividend, Value divisor) {
  OpBuilder &ops = builder.ops;
  Location loc = builder.loc;
  Type type = divisor.getType();
  Value zero = builder.intConstant(0, type), one = builder.intConstant(1, type),
        minusOne = builder.intConstant(-1, type);
  Value isZero = compare(builder, arith::CmpIPredicate::eq, divisor, zero);
  Value safe = arith::SelectOp::create(ops, loc, isZero, one, divisor);
  const bool hasSign = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  Value isMinusOne = hasSign ? compare(builder, arith::CmpIPredicate::eq, divisor, minusOne) : Value();
  if (hasSign)
    safe = arith::SelectOp::create(ops, loc, isMinusOne, one, safe);
  Value result =
      ops.create(loc, op->getName().getIdentifier(), ValueRange{dividend, safe}, type, op->getAttrs())->getResult(0);
  if (!hasSign)
    return result;
  Value negated = arith::SubIOp::create(ops, loc, zero, dividend);
  return arith::SelectOp::create(ops, loc, isMinusOne, isa<arith::RemSIOp>(op) ? zero : negated, result);
}

Value emitOperation(VectorBuilder &builder, Operation *op, ValueRange operands, Type type, bool negativeExponents) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::MaximumFOp>([&](auto) { return emitMaximum(builder, operands[0], operands[1]); })
      .Case<arith::MinimumFOp>([&](auto) { return emitMinimum(builder, operands[0], operands[1]); })
      .Case<arith::TruncFOp>([&](auto) { return emitTruncate(builder, operands[0], getElementTypeOrSelf(type)); })
      .Case<arith::ExtFOp>([&](auto) { return emitExtend(builder, operands[0], getElementTypeOrSelf(type)); })
      .Default([&](Operation *) -> Value {
        if (isDivision(op))
          return emitDivision(builder, op, operands[0], operands[1]);
        if (negativeExponents && isa<math::ExpOp>(op) && getElementTypeOrSelf(type).isF32())
          return emitExpOfNonPositive(builder, operands[0]);
        if (isa<math::MathDialect>(op->getDialect()))
          return emitMath(builder, op, operands);
        return builder.ops.create(builder.loc, op->getName().getIdentifier(), operands, type, op->getAttrs())
            ->getResult(0);
      });
}

} // namespace

SmallVector<Value> inlineBody(VectorBuilder &builder, Block &body, ArrayRef<Value> arguments, unsigned width,
                              bool negativeExponents) {
  IRMapping values;
  values.map(body.getArguments(), arguments);
  auto valueOf = [&](Value value) {
    TypedAttr constant;
    if (!values.contains(value) && matchPattern(value, m_Constant(&constant)))
      values.map(value, builder.constant(constant));
    return values.lookup(value);
  };

  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), valueOf);
    Type type = op.getResult(0).getType();
    if (llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); })) {
      for (Value &operand : operands)
        operand = builder.broadcast(operand, width);
      type = vectorOf(type, width);
    }
    values.map(op.getResult(0), emitOperation(builder, &op, operands, type, negativeExponents));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), valueOf);
}

bool canInline(Block &body) {
  auto isReachable = [&](Value value) { return value.getParentBlock() == &body || matchPattern(value, m_Constant()); };
  return llvm::all_of(body, [&](Operation &op) {
    if (!llvm::all_of(op.getOperands(), isReachable))
      return false;
    return op.hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(op) ||
           (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(&op));
  });
}

unsigned widestElementBits(Block &body) {
  unsigned bits = 8;
  auto see = [&](Type type) { bits = std::max(bits, type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64); };
  for (BlockArgument argument : body.getArguments())
    see(argument.getType());
  for (Operation &op : body.without_terminator())
    if (!isa<arith::ConstantOp>(op))
      see(op.getResult(0).getType());
  return bits;
}

bool mayTrap(Block &body) {
  return llvm::any_of(body, [](Operation &op) { return isDivision(&op); });
}

unsigned bodyCost(Block &body) {
  unsigned cost = 1;
  for (Operation &op : body.without_terminator())
    if (!isa<arith::ConstantOp>(op))
      cost += isTranscendental(&op)                                 ? 20
              : isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op) ? 5
              : isDivision(&op)                                     ? 40
                                                                    : 1;
  return cost;
}

} // namespace nacre::codegen::cpu
