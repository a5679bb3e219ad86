// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace nacre::codegen {

namespace {

TypedAttr identityOf(Operation *op) {
  Builder builder(op->getContext());
  Type type = op->getResult(0).getType();
  auto number = [&](double value) { return TypedAttr(builder.getFloatAttr(type, value)); };
  auto integer = [&](const llvm::APInt &value) { return TypedAttr(builder.getIntegerAttr(type, value)); };
  const unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddFOp>([&](auto) { return number(0); })
      .Case<arith::MulFOp>([&](auto) { return number(1); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) { return number(-kInfinity); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) { return number(kInfinity); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(llvm::APInt::getZero(bits)); })
      .Case<arith::MulIOp>([&](auto) { return integer(llvm::APInt(bits, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(llvm::APInt::getAllOnes(bits)); })
      .Case<arith::MaxSIOp>([&](auto) { return integer(llvm::APInt::getSignedMinValue(bits)); })
      .Case<arith::MinSIOp>([&](auto) { return integer(llvm::APInt::getSignedMaxValue(bits)); })
      .Default([](Operation *) { return TypedAttr(); });
}

} // namespace

std::optional<Reduction> findReduction(Block &body, unsigned result) {
  Operation *yield = body.getTerminator();
  Operation *op = yield->getOperand(result).getDefiningOp();
  Value accumulator = body.getArgument(body.getNumArguments() - yield->getNumOperands() + result);
  if (!op || op->getBlock() != &body || op->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != op)
    return std::nullopt;
  TypedAttr identity = identityOf(op);
  if (!identity)
    return std::nullopt;
  return Reduction{op, identity};
}

} // namespace nacre::codegen
