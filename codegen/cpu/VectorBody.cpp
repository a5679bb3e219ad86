// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/VectorBody.h"

#include "codegen/cpu/ScalarOps.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/form/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

Value emitOperation(VectorBuilder &builder, Operation *op, ValueRange operands, Type type, BodyHints hints) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::MaximumFOp>([&](auto) {
        return hints.nanReturns ? emitMaximumIgnoringNaN(builder, operands[0], operands[1])
                                : emitMaximum(builder, operands[0], operands[1]);
      })
      .Case<arith::MinimumFOp>([&](auto) { return emitMinimum(builder, operands[0], operands[1]); })
      .Case<arith::TruncFOp>([&](auto) { return emitTruncate(builder, operands[0], getElementTypeOrSelf(type)); })
      .Case<arith::ExtFOp>([&](auto) { return emitExtend(builder, operands[0], getElementTypeOrSelf(type)); })
      .Case<plan::ClampOp>([&](auto clamp) { return emitClamp(builder, clamp, operands[0], hints.keepsWords); })
      .Case<plan::MultiplyHighOp>([&](auto op) { return emitMultiplyHigh(builder, op, operands[0], operands[1]); })
      .Case<plan::ShiftHalfUpOp>([&](auto op) { return emitShiftHalfUp(builder, op, operands[0], operands[1]); })
      .Default([&](Operation *) -> Value {
        if (hints.negativeExponents && isa<math::ExpOp>(op) && getElementTypeOrSelf(type).isF32())
          return emitExpOfNonPositive(builder, operands[0], hints.addedExponents);
        if (isa<math::MathDialect>(op->getDialect()))
          return emitMath(builder, op, operands);
        return builder.ops.create(builder.loc, op->getName().getIdentifier(), operands, type, op->getAttrs())
            ->getResult(0);
      });
}

/// Broadcasts all operands to vectors if one of them is a vector.
SmallVector<Value> matchLanes(VectorBuilder &builder, ArrayRef<Value> operands, unsigned width) {
  SmallVector<Value> matched(operands);
  if (llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); }))
    for (Value &operand : matched)
      operand = builder.broadcast(operand, width);
  return matched;
}

/// Reads an element of a table for each index. Indices are in range, even in lanes without an element.
Value emitTableRead(VectorBuilder &builder, tensor::ExtractOp read, Value index) {
  Value table = builder.buffers[cast<BlockArgument>(read.getTensor()).getArgNumber()];
  if (isa<VectorType>(index.getType()))
    return builder.gather(table, index);
  return builder.loadScalar(table,
                            arith::IndexCastOp::create(builder.ops, builder.loc, builder.ops.getIndexType(), index));
}

/// Rounds all lanes by one zero point, which stays a scalar.
Value inlineRound(VectorBuilder &builder, plan::RoundOp op, ArrayRef<Value> operands, unsigned width, bool keepsWords) {
  Value zero = op.getKnownZero() ? Value() : operands[1];
  if (zero && isa<VectorType>(zero.getType()))
    return plan::expand(builder.ops, op, matchLanes(builder, operands, width));
  return emitRound(builder, op, operands[0], zero, keepsWords);
}

} // namespace

Value inlineOperation(VectorBuilder &builder, Operation *op, ArrayRef<Value> operands, unsigned width,
                      BodyHints hints) {
  if (auto round = dyn_cast<plan::RoundOp>(op))
    return inlineRound(builder, round, operands, width, hints.keepsWords);
  SmallVector<Value> matched = matchLanes(builder, operands, width);
  Type type = op->getResult(0).getType();
  if (!matched.empty() && isa<VectorType>(matched.front().getType()))
    type = vectorOf(type, width);
  return emitOperation(builder, op, matched, type, hints);
}

SmallVector<Value> inlineBody(VectorBuilder &builder, Block &body, ArrayRef<Value> arguments, unsigned width,
                              BodyHints hints, ArrayRef<std::pair<Value, Value>> known) {
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (auto [inBody, value] : known)
    values.map(inBody, value);
  auto valueOf = [&](Value value) {
    TypedAttr constant;
    if (!values.contains(value) && matchPattern(value, m_Constant(&constant)))
      values.map(value, builder.constant(constant));
    return values.lookup(value);
  };

  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp>(op) || values.contains(op.getResult(0)))
      continue;
    // Table indices stay integers of the element's size: a register holds as many of them as elements.
    if (isa<arith::IndexCastOp>(op) && op.getResult(0).getType().isIndex()) {
      values.map(op.getResult(0), valueOf(op.getOperand(0)));
      continue;
    }
    if (auto lookup = dyn_cast<plan::LookupOp>(op)) {
      values.map(lookup.getResult(), emitLookup(builder, lookup, valueOf(lookup.getOperand())));
      continue;
    }
    if (isTableRead(op)) {
      auto read = cast<tensor::ExtractOp>(op);
      values.map(read.getResult(), emitTableRead(builder, read, valueOf(read.getIndices()[0])));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), valueOf);
    BodyHints ofOperation = hints;
    ofOperation.keepsWords &=
        llvm::all_of(op.getUsers(), [&](Operation *user) { return user == body.getTerminator(); });
    values.map(op.getResult(0), inlineOperation(builder, &op, operands, width, ofOperation));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), valueOf);
}

bool hasNegativeExponents(Block &body, llvm::function_ref<bool(unsigned)> isLargest) {
  llvm::DenseSet<Value> differences;
  for (BlockArgument argument : body.getArguments())
    if (isLargest(argument.getArgNumber()))
      for (Operation *user : argument.getUsers())
        if (auto difference = dyn_cast<arith::SubFOp>(user); difference && difference.getRhs() == argument)
          differences.insert(difference);
  return llvm::all_of(body.getOps<math::ExpOp>(),
                      [&](math::ExpOp exp) { return differences.contains(exp.getOperand()); });
}

unsigned widestElementBits(Block &body) {
  unsigned bits = 8;
  auto see = [&](Type type) { bits = std::max(bits, type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64); };
  for (BlockArgument argument : body.getArguments())
    see(argument.getType());
  for (Operation &op : body.without_terminator())
    if (!isa<arith::ConstantOp>(op) && !op.getResult(0).getType().isIndex())
      see(op.getResult(0).getType());
  return bits;
}

unsigned operationCost(Operation &op) {
  if (plan::isScalar(&op) && !isa<plan::LookupOp>(op)) {
    const plan::ScalarCost cost = plan::costOf(&op);
    return cost.arithmetic + cost.conversions;
  }
  return isa<arith::ConstantOp>(op)                                            ? 0
         : isTranscendental(&op) || isTableRead(op) || isa<plan::LookupOp>(op) ? unsigned(kCpuFlopsPerFunction)
         : isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op)                 ? 5
         : isDivision(&op)                                                     ? 40
                                                                               : 1;
}

unsigned bodyCost(Block &body) {
  unsigned cost = 1;
  for (Operation &op : body.without_terminator())
    cost += operationCost(op);
  return cost;
}

} // namespace nacre::codegen::cpu
