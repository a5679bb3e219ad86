// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that round floats to values that integers of few bits can represent, and that convert such integers to
// floats.

#include "compiler/import/compositions/Quantization.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "dialects/NumberText.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Clamps operand 0 to the range from `low` to `high` and rounds it to a step of the range. The range is first shifted
/// so that zero is a step. `low` and `high` may have one element for each index of the last axis.
void quantize(OperandBinder &node, Value low, Value high) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t bits = node.getInt("num_bits", 8);
  bool isNarrow = node.getFlag("narrow_range", false);
  if (bits < 2 || bits > 16) {
    node.error() << "attribute 'num_bits' must lie between 2 and 16, but is " << bits;
    return;
  }
  auto least = static_cast<double>(isNarrow), most = static_cast<double>((1 << bits) - 1);
  Value step = nn.div(nn.sub(high, low), most - least);
  Value fromLow = nn.sub(nn.scalar(low, least), nn.div(low, step));
  // Rounds x.5 up. TensorFlow rounds it away from zero. This only differs for negative values, which are clamped
  // anyway.
  Value rounded = nn.unary(nn::UnaryKind::Floor, nn.add(fromLow, 0.5));
  Value zero = nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, rounded, least), most);
  Value first = nn.mul(nn.sub(nn.scalar(zero, least), zero), step);
  Value last = nn.mul(nn.sub(nn.scalar(zero, most), zero), step);
  Value clamped = nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, x, first), last);
  Value steps = nn.unary(nn::UnaryKind::Floor, nn.add(nn.div(nn.sub(clamped, first), step), 0.5));
  Value result = nn.add(nn.mul(steps, step), first);
  // A range that contains only zero has no steps.
  Value isZero = nn.binary(nn::BinaryKind::Equal, nn.sub(high, low), 0.0);
  node.setResult(result ? nn.select(isZero, nn.scalar(x, 0), result) : Value());
}

void importArgs(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  double low = node.getFloat("min", -6), high = node.getFloat("max", 6);
  if (!(low < high)) {
    node.error() << "attribute 'min' must be less than 'max', but they are " << describeNumber(low) << " and "
                 << describeNumber(high);
    return;
  }
  quantize(node, nn.scalar(node.getOperand(0), low), nn.scalar(node.getOperand(0), high));
}

void importVars(OperandBinder &node) {
  if (node.checkShape(1, {}, "one for all elements") && node.checkShape(2, {}, "one for all elements"))
    quantize(node, node.getOperand(1), node.getOperand(2));
}

void importVarsPerChannel(OperandBinder &node) {
  if (!node.checkRank(0, 1))
    return;
  int64_t channels = getShape(node.getOperand(0)).back();
  if (node.checkShape(1, {channels}, "one for each channel") && node.checkShape(2, {channels}, "one for each channel"))
    quantize(node, node.getOperand(1), node.getOperand(2));
}

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

/// The smallest and the largest value of an integer type, as f32, because TensorFlow computes with f32 values.
struct IntegerRange {
  explicit IntegerRange(IntegerType type) {
    const unsigned width = type.getWidth();
    low = type.isUnsigned() ? 0 : -std::ldexp(1.0F, static_cast<int>(width) - 1);
    high = static_cast<float>(std::ldexp(1.0, static_cast<int>(width) - !type.isUnsigned()) - 1);
  }
  float low, high;
};

/// Converts integers to floats. The smallest integer of `range` becomes `low`, and the largest becomes `high`. If
/// `isMinFirst`, `low` is shifted so that zero is a step.
Value dequantizeByRange(NnBuilder &nn, Value x, Value low, Value high, IntegerRange range, bool isMinFirst) {
  if (!isMinFirst) {
    float half = range.low == 0 ? 0.0F : (range.high - range.low + 1) / 2;
    return nn.add(nn.mul(nn.add(x, half), nn.div(nn.sub(high, low), range.high - range.low)), low);
  }
  Value step = nn.div(nn.sub(high, low), double(range.high) - double(range.low));
  Value moved = nn.mul(roundAwayFromZero(nn, nn.div(low, step)), step);
  if (!moved)
    return {};
  Value first = nn.select(nn.binary(nn::BinaryKind::Equal, low, high), low, moved);
  return nn.add(nn.mul(x, step), nn.sub(first, nn.mul(step, range.low)));
}

/// Converts integers to floats so that zero becomes zero.
Value dequantizeScaled(NnBuilder &nn, Value x, Value low, Value high, IntegerRange range, bool isNarrow) {
  Value scale = nn.div(high, range.high);
  if (range.low != 0)
    scale = nn.binary(nn::BinaryKind::Max, nn.div(low, range.low + static_cast<float>(isNarrow)), scale);
  return nn.mul(x, scale);
}

void importDequantize(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  StringRef mode = node.getChoice("mode", {"MIN_COMBINED", "MIN_FIRST", "SCALED"});
  const bool isNarrow = node.getFlag("narrow_range", false);
  const int64_t axis = node.getInt("axis", -1);
  Type f32 = nn.types().getF32Type(), type = node.getType("dtype", f32);
  if (!isa<FloatType>(type)) {
    node.error() << "attribute 'dtype' must be a floating-point type, but is " << getTypeName(type);
    return;
  }
  if (axis < -1 || axis >= getRank(x)) {
    node.error() << "attribute 'axis' must be -1 or an axis of " << describe(x) << ", but is " << axis;
    return;
  }
  SmallVector<int64_t> ranges, aligned;
  if (axis >= 0) {
    ranges = {getShape(x)[axis]};
    aligned.assign(getRank(x), 1);
    aligned[axis] = ranges[0];
  }
  const char *reason = axis < 0 ? "one for all elements" : "one for each index of the axis";
  if (!node.checkShape(1, ranges, reason) || !node.checkShape(2, ranges, reason) || node.hasFailed())
    return;
  const IntegerRange range(cast<IntegerType>(getElementType(x)));
  Value low = nn.cast(nn.reshape(node.getOperand(1), aligned), f32);
  Value high = nn.cast(nn.reshape(node.getOperand(2), aligned), f32);
  Value reals = nn.cast(x, f32);
  node.setResult(nn.cast(mode == "SCALED" ? dequantizeScaled(nn, reals, low, high, range, isNarrow)
                                          : dequantizeByRange(nn, reals, low, high, range, mode == "MIN_FIRST"),
                         type));
}

} // namespace

void registerFakeQuantization(ImportRegistry &registry) {
  const OperandRule inputs = {"inputs", Holds::Floats, 'T'}, low = {"min", Holds::Floats, 'T'},
                    high = {"max", Holds::Floats, 'T'};
  registry.add("Dequantize", 1,
               {{"input", Holds::Integers}, {"min_range", Holds::Floats}, {"max_range", Holds::Floats}},
               importDequantize);
  registry.add("FakeQuantWithMinMaxArgs", 1, {inputs}, importArgs);
  registry.add("FakeQuantWithMinMaxVars", 1, {inputs, low, high}, importVars);
  registry.add("FakeQuantWithMinMaxVarsPerChannel", 1, {inputs, low, high}, importVarsPerChannel);
}

} // namespace nacre::importer::tensorflow_format
