// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes are folded by halves, in the same tree for every width, so results do not depend on what LLVM makes of a
// reduction.

#include "codegen/cpu/Combiner.h"

#include "codegen/cpu/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

TypedAttr identityOf(Operation *op) {
  Builder builder(op->getContext());
  Type type = op->getResult(0).getType();
  auto number = [&](double value) { return TypedAttr(builder.getFloatAttr(type, value)); };
  auto integer = [&](llvm::APInt value) { return TypedAttr(builder.getIntegerAttr(type, value)); };
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

std::optional<Combiner> Combiner::find(Block &body, unsigned result) {
  Operation *yield = body.getTerminator();
  Operation *op = yield->getOperand(result).getDefiningOp();
  Value accumulator = body.getArgument(body.getNumArguments() - yield->getNumOperands() + result);
  if (!op || op->getBlock() != &body || op->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != op)
    return std::nullopt;
  TypedAttr identity = identityOf(op);
  if (!identity)
    return std::nullopt;
  return Combiner{op, identity};
}

Value Combiner::combine(VectorBuilder &builder, Value a, Value b) const {
  if (isa<arith::MaximumFOp>(op))
    return nanReturns ? emitMaximumIgnoringNaN(builder, a, b) : emitMaximum(builder, a, b);
  if (isa<arith::MinimumFOp>(op))
    return emitMinimum(builder, a, b);
  return builder.ops.create(builder.loc, op->getName().getIdentifier(), ValueRange{a, b}, a.getType(), op->getAttrs())
      ->getResult(0);
}

Value Combiner::combineLanes(VectorBuilder &builder, Value vector) const {
  auto half = [&](Value whole, int64_t from, int64_t count) -> Value {
    return vector::ExtractStridedSliceOp::create(builder.ops, builder.loc, whole, ArrayRef<int64_t>{from},
                                                 ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
  };
  for (int64_t width = cast<VectorType>(vector.getType()).getNumElements(); width > 1; width /= 2)
    vector = combine(builder, half(vector, 0, width / 2), half(vector, width / 2, width / 2));
  return builder.lane(vector, 0);
}

} // namespace nacre::codegen::cpu
