// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits chains with the same bits as their operations. If a conversion does not saturate, the upper bound is applied to
// the float. Instructions that narrow with saturation apply the lower bound.

#include "codegen/cpu/BodyChains.h"
#include "codegen/cpu/NarrowToBytes.h"
#include "codegen/cpu/QuantizedChain.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

class ChainEmitter {
public:
  /// `input` is the chain's zeroInput as a scalar, or null.
  ChainEmitter(VectorBuilder &build, const QuantizedChain &chain, Value input)
      : build(build), chain(chain), input(input) {}

  Value emit(Value x) {
    if (!chain.ofNaN || (*chain.ofNaN >= chain.low && *chain.ofNaN <= chain.high))
      return emitBounded(x);
    // The code for NaN lies outside of the range of all other results, so it is selected at the end.
    QuantizedChain ofNumbers = chain;
    ofNumbers.ofNaN.reset();
    Value bounded = ChainEmitter(build, ofNumbers, input).emitBounded(x);
    Value isNumber = build.make<arith::CmpFOp>(arith::CmpFPredicate::ORD, x, x);
    return build.make<arith::SelectOp>(isNumber, bounded, like(bounded, *chain.ofNaN));
  }

private:
  Value emitBounded(Value x) {
    const bool isByte = chain.type.isInteger(8);
    if (!chain.isRounded())
      return withinBounds(narrowToBytes(build, x, {}, chain.isUnsigned()), /*isBelowHigh=*/false);
    Value rounded = round(beforeRounding({&build, x}).value);
    // The float has already been bounded from above, except on a machine whose conversion saturates.
    const bool isBelowHigh = !build.target.arm64;
    if (isByte && narrowsByShorts(build.target))
      return withinBounds(narrowToBytes(build, rounded, zeroPoint(), chain.isUnsigned()), isBelowHigh);
    Value bounded = build.make<arith::MaxSIOp>(rounded, beforeZero(rounded, chain.low));
    if (!isBelowHigh)
      bounded = build.make<arith::MinSIOp>(bounded, beforeZero(bounded, chain.high));
    Value moved = bounded;
    if (input)
      moved =
          build.make<arith::AddIOp>(moved, allLanes(build.make<arith::ExtSIOp>(build.ops.getI32Type(), input), moved));
    if (chain.zero)
      moved = build.make<arith::AddIOp>(moved, like(moved, chain.zero));
    return isByte ? build.make<arith::TruncIOp>(withElement(moved.getType(), chain.type), moved) : moved;
  }

  /// Broadcasts `scalar` to the lanes of `value`.
  Value allLanes(Value scalar, Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? build.broadcast(scalar, type.getNumElements()) : scalar;
  }
  /// Returns the i32 that becomes `number` when the zero point is added.
  Value beforeZero(Value value, int64_t number) {
    if (!input)
      return like(value, number - chain.zero);
    Value wide = build.make<arith::ExtSIOp>(build.ops.getI32Type(), input);
    return allLanes(build.make<arith::SubIOp>(build.intConstant(number - chain.zero, wide.getType()), wide), value);
  }
  /// Returns the float that becomes `number` when the zero point is added.
  Term beforeZero(Term x, int64_t number) {
    const auto before = double(number - chain.zero);
    if (!input)
      return x.constant(before);
    Value zero = build.make<arith::SIToFPOp>(build.ops.getF32Type(), input);
    Value number32 = build.constant(build.ops.getF32FloatAttr(float(before)));
    return {&build, allLanes(build.make<arith::SubFOp>(number32, zero), x.value)};
  }
  ZeroPoint zeroPoint() {
    if (!input || chain.zero == 0)
      return {chain.zero, input};
    return {0, build.make<arith::AddIOp>(input, build.intConstant(chain.zero, input.getType()))};
  }
  Value like(Value value, int64_t number) { return build.intConstant(number, value.getType()); }

  /// Replaces NaN, and floats that cannot be converted. On x86, NaN and floats out of range become the smallest
  /// integer. On arm64, NaN becomes 0, and floats saturate.
  Term beforeRounding(Term x) {
    if (chain.ofNaN && build.target.arm64 && chain.ofNaN == chain.low)
      return x.op<arith::MaxNumFOp>(x.value, beforeZero(x, chain.low).value);
    const bool isRight = build.target.arm64 ? !input && chain.ofNaN == chain.zero : chain.ofNaN == chain.low;
    if (chain.ofNaN && !isRight)
      x = x.compare(arith::CmpFPredicate::ORD, x).select(x, beforeZero(x, *chain.ofNaN));
    const Term high = beforeZero(x, chain.high);
    return build.target.arm64 ? x : (x > high).select(high, x);
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

  /// Applies the bounds that saturation to the type has not applied.
  Value withinBounds(Value bytes, bool isBelowHigh) {
    const bool isUnsigned = chain.isUnsigned();
    if (chain.low > (isUnsigned ? 0 : INT8_MIN))
      bytes = isUnsigned ? build.make<arith::MaxUIOp>(bytes, like(bytes, chain.low))
                         : build.make<arith::MaxSIOp>(bytes, like(bytes, chain.low));
    if (!isBelowHigh && chain.high < (isUnsigned ? UINT8_MAX : INT8_MAX))
      bytes = isUnsigned ? build.make<arith::MinUIOp>(bytes, like(bytes, chain.high))
                         : build.make<arith::MinSIOp>(bytes, like(bytes, chain.high));
    return bytes;
  }

  VectorBuilder &build;
  const QuantizedChain &chain;
  const Value input;
};

} // namespace

std::optional<BodyChain> readQuantizedChain(Operation *op, const Target & /*target*/) {
  std::optional<QuantizedChain> chain = readQuantized(op);
  if (!chain)
    return std::nullopt;
  SmallVector<Value, 2> operands = {chain->x};
  if (chain->zeroInput)
    operands.push_back(chain->zeroInput);
  return BodyChain{operands, [chain = *chain](VectorBuilder &build, ArrayRef<Value> operands) {
                     Value input = chain.zeroInput ? operands.back() : Value();
                     // All lanes of the zero point are equal.
                     if (input && isa<VectorType>(input.getType()))
                       input = build.lane(input, 0);
                     return ChainEmitter(build, chain, input).emit(operands.front());
                   }};
}

} // namespace nacre::codegen::cpu
