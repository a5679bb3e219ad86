// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. functions of any type; 2. conversions, maximum and minimum.

#include "codegen/cpu/VectorMath.h"

#include "codegen/Functions.h"
#include "codegen/cpu/halves/HalfArithmetic.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

//===----------------------------------------------------------------------===//
// 1. Functions
//===----------------------------------------------------------------------===//

/// True if LLVM itself lowers `op` on vectors well: to about one instruction for floats, and to a short sequence for
/// integers.
bool isNative(Operation *op) {
  return isa<math::SqrtOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp,
             math::CopySignOp, math::FmaOp, math::AbsIOp, math::CtPopOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp>(op);
}

/// True if `op` on f16 is one instruction. Its result is then that of f32, rounded to f16.
bool isNativeInHalves(const Target &target, Operation *op) {
  return hasHalfArithmetic(target) &&
         isa<math::SqrtOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
}

Value createLike(VectorBuilder &builder, Operation *op, ValueRange operands, Type type) {
  return builder.ops.create(builder.loc, op->getName().getIdentifier(), operands, type, op->getAttrs())->getResult(0);
}

/// Returns the type of the result. Predicates keep their element type.
Type resultType(Operation *op, ValueRange operands) {
  return withElement(operands[0].getType(), op->getResult(0).getType());
}

Value emitLaneByLane(VectorBuilder &builder, Operation *op, ValueRange operands) {
  auto type = dyn_cast<VectorType>(resultType(op, operands));
  if (!type)
    return createLike(builder, op, operands, resultType(op, operands));
  SmallVector<Value> lanes;
  for (unsigned lane = 0; lane < type.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(builder.lane(operand, lane));
    lanes.push_back(createLike(builder, op, scalars, type.getElementType()));
  }
  return vector::FromElementsOp::create(builder.ops, builder.loc, type, lanes);
}

} // namespace

Value emitMath(VectorBuilder &builder, Operation *op, ValueRange operands) {
  Type element = getElementTypeOrSelf(operands[0]);
  if (element.isF16() && isNativeInHalves(builder.target, op))
    return createLike(builder, op, operands, operands[0].getType());
  // All other functions of f16 and bf16 are computed in f32.
  if (isa<Float16Type, BFloat16Type>(element) && !isa<math::AbsFOp, math::CopySignOp>(op)) {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(isa<FloatType>(getElementTypeOrSelf(operand))
                         ? emitExtend(builder, operand, builder.ops.getF32Type())
                         : operand);
    return emitTruncate(builder, emitMath(builder, op, wide), element);
  }
  if (isa<math::IsNaNOp>(op))
    return arith::CmpFOp::create(builder.ops, builder.loc, arith::CmpFPredicate::UNO, operands[0], operands[0]);
  if (isa<math::IsInfOp>(op)) {
    Term x{&builder, operands[0]};
    return (abs(x) == std::numeric_limits<double>::infinity()).value;
  }
  if (isa<math::IPowIOp>(op))
    return integerPower({&builder, operands[0]}, {&builder, operands[1]}).value;
  if (element.isF32())
    if (std::optional<Value> value = emitFunction(builder, op, operands))
      return *value;
  // f16 and bf16 were handled above. So the result has the type of the operands, or is an integer.
  if (isNative(op)) {
    Type type = isa<FloatType>(op->getResult(0).getType()) ? operands[0].getType() : resultType(op, operands);
    return createLike(builder, op, operands, type);
  }
  SmallVector<Value> scalars(operands);
  // The C library scales a subnormal base to compute its logarithm. Kernels flush subnormal values to zero, which would
  // make this result wrong. So subnormal bases become zero here.
  if (isa<math::PowFOp>(op)) {
    Term x{&builder, operands[0]};
    scalars[0] = (abs(x) < std::numeric_limits<double>::min()).select(copySign(x.constant(0), x), x).value;
  }
  return emitLaneByLane(builder, op, scalars);
}

Value emitExpOfNonPositive(VectorBuilder &builder, Value x, int64_t added) {
  return expOfNonPositive({&builder, x}, added).value;
}

//===----------------------------------------------------------------------===//
// 2. Conversions, maximum and minimum
//===----------------------------------------------------------------------===//

namespace {

/// True if `value` is a constant that is not NaN. One comparison is then enough.
bool isNumber(Value value) {
  std::optional<double> splat = splatOf(value);
  return splat && !std::isnan(*splat);
}

template <typename Op> Value emitExtremum(VectorBuilder &builder, Value a, Value b, arith::CmpFPredicate wins) {
  if (builder.target.arm64)
    return Op::create(builder.ops, builder.loc, a, b);
  // x86 has an instruction for a > b ? a : b, which is b if either operand is NaN.
  if (isNumber(b))
    std::swap(a, b);
  Term x{&builder, a}, y{&builder, b};
  Term chosen = x.compare(wins, y).select(x, y);
  if (isNumber(a))
    return chosen.value;
  return x.compare(arith::CmpFPredicate::UNO, x).select(x, chosen).value;
}

} // namespace

Value emitMaximum(VectorBuilder &builder, Value a, Value b) {
  return emitExtremum<arith::MaximumFOp>(builder, a, b, arith::CmpFPredicate::OGT);
}

Value emitMinimum(VectorBuilder &builder, Value a, Value b) {
  return emitExtremum<arith::MinimumFOp>(builder, a, b, arith::CmpFPredicate::OLT);
}

Value emitMaximumIgnoringNaN(VectorBuilder &builder, Value a, Value b) {
  if (builder.target.arm64)
    return arith::MaximumFOp::create(builder.ops, builder.loc, a, b);
  Term x{&builder, a}, y{&builder, b};
  return (x > y).select(x, y).value;
}

Value emitTruncate(VectorBuilder &builder, Value x, Type element) {
  Type type = withElement(x.getType(), element);
  if (x.getType() == type)
    return x;
  Type f32 = builder.ops.getF32Type();
  if (getElementTypeOrSelf(x).isF64() && !element.isF32()) {
    // Go through an f32 that is rounded to odd. The second rounding then gives the same result as a single rounding.
    Term exact{&builder, x};
    Term wide = exact.op<arith::TruncFOp>(withElement(x.getType(), f32), x);
    Term back = wide.op<arith::ExtFOp>(x.getType(), wide.value);
    Term bits = wide.bits();
    Term inexact = exact.compare(arith::CmpFPredicate::ONE, back);
    Term even = !hasBit(bits, 1);
    // Step towards the exact value: the magnitude grows if it was rounded down.
    Term grows = abs(exact) > abs(back);
    Term step = grows.select(bits.integer(1), bits.integer(-1));
    Term moved = bits.op<arith::AddIOp>(bits.value, step.value).f32();
    return emitTruncate(
        builder, (inexact & even & (abs(wide) < std::numeric_limits<double>::infinity())).select(moved, wide).value,
        element);
  }
  // CPUs that multiply bf16 also round to it in one instruction. For others, LLVM would call a library.
  if (!element.isBF16() || multiplies(builder.target, FloatStorage::BF16))
    return arith::TruncFOp::create(builder.ops, builder.loc, type, x);
  return roundToBf16({&builder, x}).as(element).value;
}

Value emitExtend(VectorBuilder &builder, Value x, Type element) {
  Type type = withElement(x.getType(), element);
  if (x.getType() == type)
    return x;
  Type from = getElementTypeOrSelf(x);
  if (isa<Float16Type, BFloat16Type>(from) && element.isF64())
    return emitExtend(builder, emitExtend(builder, x, builder.ops.getF32Type()), element);
  if (!from.isBF16())
    return arith::ExtFOp::create(builder.ops, builder.loc, type, x);
  return extendBf16(Term{&builder, x}.bits()).value;
}

} // namespace nacre::codegen::cpu
