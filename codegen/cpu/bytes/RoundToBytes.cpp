// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits plan.round and plan.clamp. If a conversion does not saturate, the upper bound is applied to the float.
// Instructions that narrow with saturation apply the lower bound.

#include "codegen/cpu/ScalarOps.h"
#include "codegen/cpu/bytes/NarrowToBytes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// True if the machine narrows words to bytes only at the end. Otherwise, it narrows them to shorts first.
bool narrowsAtOnce(const VectorBuilder &build) { return !narrowsByShorts(build.target); }

/// Bounds of an operation, and the zero point that is added before they apply.
class Bounded {
public:
  Bounded(VectorBuilder &build, int64_t low, int64_t high, int64_t zero = 0, Value input = {})
      : build(build), low(low), high(high), zero(zero), input(input) {}

protected:
  bool isUnsigned() const { return low >= 0; }

  /// Broadcasts `scalar` to the lanes of `value`.
  Value allLanes(Value scalar, Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? build.broadcast(scalar, type.getNumElements()) : scalar;
  }
  /// Returns the i32 that becomes `number` when the zero point is added.
  Value beforeZero(Value value, int64_t number) {
    if (!input)
      return like(value, number - zero);
    Value wide = build.make<arith::ExtSIOp>(build.ops.getI32Type(), input);
    return allLanes(build.make<arith::SubIOp>(build.intConstant(number - zero, wide.getType()), wide), value);
  }
  /// Returns the float that becomes `number` when the zero point is added.
  Term beforeZero(Term x, int64_t number) {
    const auto before = double(number - zero);
    if (!input)
      return x.constant(before);
    Value real = build.make<arith::SIToFPOp>(build.ops.getF32Type(), input);
    Value number32 = build.constant(build.ops.getF32FloatAttr(float(before)));
    return {&build, allLanes(build.make<arith::SubFOp>(number32, real), x.value)};
  }
  Value like(Value value, int64_t number) { return build.intConstant(number, value.getType()); }

  /// Applies the bounds that saturation to the type has not applied.
  Value withinBounds(Value bytes, bool isBelowHigh) {
    const bool isUnsigned = this->isUnsigned();
    if (low > (isUnsigned ? 0 : INT8_MIN))
      bytes = isUnsigned ? build.make<arith::MaxUIOp>(bytes, like(bytes, low))
                         : build.make<arith::MaxSIOp>(bytes, like(bytes, low));
    if (!isBelowHigh && high < (isUnsigned ? UINT8_MAX : INT8_MAX))
      bytes = isUnsigned ? build.make<arith::MinUIOp>(bytes, like(bytes, high))
                         : build.make<arith::MinSIOp>(bytes, like(bytes, high));
    return bytes;
  }

  VectorBuilder &build;
  const int64_t low, high, zero;
  const Value input; ///< Zero point of type i16 that is only known at run time, as a scalar; null if it is `zero`
};

class Rounder : Bounded {
public:
  Rounder(VectorBuilder &build, plan::RoundOp op, Value zero, std::optional<int64_t> ofNaN)
      : Bounded(build, op.getLow(), op.getHigh(), zero ? 0 : *op.getKnownZero(), zero), ofNaN(ofNaN),
        isByte(op.getType().isInteger(8)) {}

  Value emit(Value x, bool keepsWords) {
    Value rounded = round(beforeRounding({&build, x}).value);
    // The float has already been bounded from above, except on a machine whose conversion saturates.
    const bool isBelowHigh = !build.target.arm64;
    if (isByte && narrowsByShorts(build.target))
      return withinBounds(narrowToBytes(build, rounded, {zero, input}, isUnsigned()), isBelowHigh);
    Value bounded = build.make<arith::MaxSIOp>(rounded, beforeZero(rounded, low));
    if (!isBelowHigh)
      bounded = build.make<arith::MinSIOp>(bounded, beforeZero(bounded, high));
    Value moved = bounded;
    if (input)
      moved =
          build.make<arith::AddIOp>(moved, allLanes(build.make<arith::ExtSIOp>(build.ops.getI32Type(), input), moved));
    if (zero)
      moved = build.make<arith::AddIOp>(moved, like(moved, zero));
    return isByte && !keepsWords
               ? build.make<arith::TruncIOp>(withElement(moved.getType(), build.ops.getI8Type()), moved)
               : moved;
  }

private:
  /// Replaces NaN, and floats that cannot be converted. On x86, NaN and floats out of range become the smallest
  /// integer. On arm64, NaN becomes 0, and floats saturate.
  Term beforeRounding(Term x) {
    if (ofNaN && build.target.arm64 && ofNaN == low)
      return x.op<arith::MaxNumFOp>(x.value, beforeZero(x, low).value);
    const bool isRight = build.target.arm64 ? !input && ofNaN == zero : ofNaN == low;
    if (ofNaN && !isRight)
      x = x.compare(arith::CmpFPredicate::ORD, x).select(x, beforeZero(x, *ofNaN));
    const Term most = beforeZero(x, high);
    return build.target.arm64 ? x : (x > most).select(most, x);
  }

  /// Rounds to the nearest i32; halves become even.
  Value round(Value x) {
    Type integer = build.ops.getI32Type();
    auto vector = dyn_cast<VectorType>(x.getType());
    auto suffix = [](Type type) {
      auto lanes = dyn_cast<VectorType>(type);
      const bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
      return (lanes ? "v" + std::to_string(lanes.getNumElements()) : std::string()) + (isFloat ? "f32" : "i32");
    };
    auto convert = [&](const Twine &name, Value value) {
      Type to = withElement(value.getType(), integer);
      return build.intrinsic(name + "." + suffix(to) + "." + suffix(value.getType()), to, value);
    };
    if (!build.target.arm64)
      return convert("llvm.lrint", x);
    constexpr StringLiteral name = "llvm.aarch64.neon.fcvtns";
    if (!vector)
      return convert(name, x);
    if (vector.getNumElements() == 1)
      return build.broadcast(convert(name, build.lane(x, 0)), 1);
    constexpr unsigned most = 4;
    SmallVector<Value> parts;
    for (Value part : build.split(x, most))
      parts.push_back(convert(name, part));
    return build.join(parts);
  }

  const std::optional<int64_t> ofNaN; ///< Result for NaN, within the bounds
  const bool isByte;
};

class Clamper : Bounded {
public:
  Clamper(VectorBuilder &build, plan::ClampOp op) : Bounded(build, op.getLow(), op.getHigh()) {}

  Value emit(Value x, bool keepsWords) {
    if (keepsWords)
      return build.make<arith::MinSIOp>(build.make<arith::MaxSIOp>(x, like(x, low)), like(x, high));
    return withinBounds(narrowToBytes(build, x, {}, isUnsigned()), /*isBelowHigh=*/false);
  }
};

} // namespace

Value emitRound(VectorBuilder &build, plan::RoundOp op, Value x, Value zero, bool keepsWords) {
  const std::optional<int64_t> ofNaN = op.getOfNan();
  keepsWords &= narrowsAtOnce(build);
  if (!ofNaN || (*ofNaN >= int64_t(op.getLow()) && *ofNaN <= int64_t(op.getHigh())))
    return Rounder(build, op, zero, ofNaN).emit(x, keepsWords);
  // The result for NaN lies outside of the range of all other results, so it is selected at the end.
  Value bounded = Rounder(build, op, zero, std::nullopt).emit(x, keepsWords);
  Value isNumber = build.make<arith::CmpFOp>(arith::CmpFPredicate::ORD, x, x);
  return build.make<arith::SelectOp>(isNumber, bounded, build.intConstant(*ofNaN, bounded.getType()));
}

Value emitClamp(VectorBuilder &build, plan::ClampOp op, Value x, bool keepsWords) {
  return Clamper(build, op).emit(x, keepsWords && narrowsAtOnce(build));
}

} // namespace nacre::codegen::cpu
