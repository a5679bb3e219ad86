// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has three parts: 1. verification; 2. costs; 3. definitions.

#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/plan/ScalarOps.cpp.inc"

namespace nacre::plan {

//===----------------------------------------------------------------------===//
// 1. Verification
//===----------------------------------------------------------------------===//

/// Largest magnitude of bounds. Sums of such floats and zero points are exact.
constexpr int64_t kMostBound = 1 << 20;

static LogicalResult verifyBounds(Operation *op, int64_t low, int64_t high, Type type) {
  if (low > high || low < -kMostBound || high > kMostBound)
    return op->emitOpError("must have bounds in ascending order of at most 2^20, but has ") << low << " and " << high;
  const bool isByte = (low >= INT8_MIN && high <= INT8_MAX) || (low >= 0 && high <= UINT8_MAX);
  if (type.isInteger(8) && !isByte)
    return op->emitOpError("must have bounds of a byte, but has ") << low << " and " << high;
  return success();
}

LogicalResult RoundOp::verify() { return verifyBounds(*this, getLow(), getHigh(), getType()); }

LogicalResult ClampOp::verify() { return verifyBounds(*this, getLow(), getHigh(), getType()); }

LogicalResult LookupOp::verify() {
  if (getTable().getType().getShape() != ArrayRef<int64_t>{256})
    return emitOpError("must have a table of 256 bytes, but has ") << getTable().getType();
  return success();
}

std::optional<int64_t> RoundOp::getKnownZero() {
  APInt number;
  if (!getZero())
    return 0;
  return matchPattern(getZero(), m_ConstantInt(&number)) ? std::optional(number.getSExtValue()) : std::nullopt;
}

bool isScalar(Operation *op) { return isa<RoundOp, ClampOp, MultiplyHighOp, ShiftHalfUpOp, LookupOp>(op); }

bool isUnsigned(Value byte) {
  if (auto round = byte.getDefiningOp<RoundOp>())
    return int64_t(round.getLow()) >= 0;
  return int64_t(cast<ClampOp>(byte.getDefiningOp()).getLow()) >= 0;
}

//===----------------------------------------------------------------------===//
// 2. Costs
//===----------------------------------------------------------------------===//

ScalarCost costOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScalarCost>(op)
      .Case<RoundOp>([](RoundOp round) {
        // A rounding, a conversion and two bounds; comparisons if the operand may be NaN.
        const unsigned forNaN = !round.getOfNan() ? 0 : round.getOfNan() == round.getLow() ? 4 : 6;
        return ScalarCost{4 + (round.getZero() ? 1U : 0U) + forNaN, round.getType().isInteger(8) ? 1U : 0U};
      })
      .Case<ClampOp>([](auto) { return ScalarCost{2, 1}; })
      .Case<MultiplyHighOp>([](MultiplyHighOp op) { return ScalarCost{op.getSaturates() ? 4U : 3U, 3}; })
      .Case<ShiftHalfUpOp>([](auto) { return ScalarCost{3, 0}; })
      .Case<LookupOp>([](auto) { return ScalarCost{1, 1}; });
}

//===----------------------------------------------------------------------===//
// 3. Definitions
//===----------------------------------------------------------------------===//

namespace {

class Expander {
public:
  Expander(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value round(RoundOp op, Value x, Value zero) {
    Value sum = make<math::RoundEvenOp>(x);
    if (std::optional<int64_t> known = op.getKnownZero(); !known)
      sum = make<arith::AddFOp>(sum, make<arith::SIToFPOp>(x.getType(), zero));
    else if (*known != 0)
      sum = make<arith::AddFOp>(sum, constant(x.getType(), *known));
    // Ordered comparisons with NaN are false, so that NaN becomes the lower bound.
    Value bounded = bound(arith::CmpFPredicate::OGT, sum, op.getLow());
    bounded = bound(arith::CmpFPredicate::OLT, bounded, op.getHigh());
    Value integer = make<arith::FPToSIOp>(like(x, builder.getI32Type()), bounded);
    if (op.getType().isInteger(8))
      integer = make<arith::TruncIOp>(like(x, builder.getI8Type()), integer);
    if (!op.getOfNan() || op.getOfNan() == op.getLow())
      return integer;
    Value isNaN = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
    return make<arith::SelectOp>(isNaN, constant(integer.getType(), int64_t(*op.getOfNan())), integer);
  }

  Value clamp(ClampOp op, Value x) {
    Value least = make<arith::MaxSIOp>(x, constant(x.getType(), op.getLow()));
    Value most = make<arith::MinSIOp>(least, constant(x.getType(), op.getHigh()));
    return make<arith::TruncIOp>(like(x, builder.getI8Type()), most);
  }

  Value multiplyHigh(bool saturates, Value a, Value b) {
    Type wide = like(a, builder.getI64Type());
    Value product = make<arith::MulIOp>(make<arith::ExtSIOp>(wide, a), make<arith::ExtSIOp>(wide, b));
    Value nudged = make<arith::AddIOp>(product, constant(wide, int64_t(1) << 30));
    Value high = make<arith::ShRSIOp>(nudged, constant(wide, 31));
    if (saturates)
      high = make<arith::MinSIOp>(high, constant(wide, INT32_MAX));
    return make<arith::TruncIOp>(a.getType(), high);
  }

  Value shiftHalfUp(Value x, Value places) {
    Value one = constant(x.getType(), 1);
    return make<arith::ShRSIOp>(make<arith::AddIOp>(make<arith::ShRSIOp>(x, places), one), one);
  }

  Value lookup(LookupOp op, Value byte, Value table) {
    Type wide = builder.getI32Type();
    Value index = op.getIsSigned() ? make<arith::AddIOp>(make<arith::ExtSIOp>(wide, byte), constant(wide, 128))
                                   : make<arith::ExtUIOp>(wide, byte);
    return make<tensor::ExtractOp>(table, ValueRange(make<arith::IndexCastOp>(builder.getIndexType(), index)));
  }

private:
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  /// Returns `element`, or a vector of it if `x` is a vector.
  static Type like(Value x, Type element) {
    auto vector = dyn_cast<VectorType>(x.getType());
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(Type type, int64_t number) {
    Type element = getElementTypeOrSelf(type);
    TypedAttr value = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, double(number)))
                                              : builder.getIntegerAttr(element, number);
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return make<arith::ConstantOp>(value);
  }
  Value bound(arith::CmpFPredicate wins, Value x, int64_t number) {
    Value limit = constant(x.getType(), number);
    return make<arith::SelectOp>(make<arith::CmpFOp>(wins, x, limit), x, limit);
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

Value expand(OpBuilder &builder, Operation *op, ValueRange operands) {
  Expander expander(builder, op->getLoc());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<RoundOp>([&](RoundOp round) {
        return expander.round(round, operands[0], operands.size() > 1 ? operands[1] : Value());
      })
      .Case<ClampOp>([&](ClampOp clamp) { return expander.clamp(clamp, operands[0]); })
      .Case<MultiplyHighOp>([&](MultiplyHighOp multiply) {
        return expander.multiplyHigh(multiply.getSaturates(), operands[0], operands[1]);
      })
      .Case<ShiftHalfUpOp>([&](auto) { return expander.shiftHalfUp(operands[0], operands[1]); })
      .Case<LookupOp>([&](LookupOp lookup) { return expander.lookup(lookup, operands[0], operands[1]); });
}

void expandScalars(Operation *root) {
  root->walk([](Operation *op) {
    if (!isScalar(op))
      return;
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(expand(builder, op, op->getOperands()));
    op->erase();
  });
}

} // namespace nacre::plan
