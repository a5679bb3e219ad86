// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements QuantizedFunctions.h: 1. tables, 2. exponential functions, 3. roots, 4. conversions between scales.

#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/InterpolatedTables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {

Value lookUp(NnBuilder &nn, Value x, int64_t first, ArrayRef<int32_t> table, Type type) {
  auto tableType = RankedTensorType::get(static_cast<int64_t>(table.size()), type);
  Value entries = makeTable<int64_t>(nn, tableType, [&](int64_t index) { return int64_t(table[index]); });
  return nn.gather(entries, first ? nn.add(x, -static_cast<double>(first)) : x, /*axis=*/0);
}

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

/// Sets the result by a table of `function` for all integers of the input. `function` maps integers without the input's
/// zero point to integers without the result's. Integers have 8 bits, or also 16 if `mostBits` is 16.
template <typename Function> static void tabulate(TfliteNode &node, unsigned mostBits, Function function) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  const unsigned bits = getElementType(x).getIntOrFloatBitWidth();
  if ((bits != 8 && bits != 16) || bits > mostBits || node.getResultElementType() != getElementType(x)) {
    node.error() << "quantized integers must have 8 " << (mostBits > 8 ? "or 16 " : "")
                 << "bits, and the result must have the same type, but the input is " << describe(x);
    return;
  }
  SmallVector<int32_t> table;
  for (int64_t code = range->low; code <= range->high; ++code) {
    const int64_t entry = function(static_cast<int32_t>(code - input->zero), *input, *result) + result->zero;
    table.push_back(static_cast<int32_t>(std::clamp(entry, range->low, range->high)));
  }
  node.setResult(lookUp(nn, nn.cast(x, nn.types().getI32Type()), range->low, table, getElementType(x)));
}

/// True for signed 16-bit integers, whose functions are interpolated.
static bool isInterpolated(TfliteNode &node) { return getElementType(node.getOperand(0)).isSignlessInteger(16); }

/// Rounds to the nearest integer, and clamps it to a range that is larger than the range of any result. NaN becomes 0.
static int64_t roundSteps(float steps) {
  return std::isnan(steps) ? 0 : static_cast<int64_t>(std::clamp(std::round(steps), -1e6F, 1e6F));
}

/// Imports a function of reals in single precision. `function` also gets the smallest and the largest real in the
/// result's range.
static void importReal(TfliteNode &node, llvm::function_ref<float(float, float, float)> function) {
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  auto toReal = [&](int64_t code) { return static_cast<float>(code - result->zero) * result->scale; };
  const float least = toReal(range->low), most = toReal(range->high);
  auto compute = [&](float real) { return function(real, least, most); };
  if (!isInterpolated(node))
    return tabulate(node, 8, [&](int32_t x, OneScale input, OneScale result) {
      return roundSteps(compute(input.scale * static_cast<float>(x)) * (1 / result.scale));
    });
  const Entries16 entries = makeEntries16<float>({input->scale, static_cast<int32_t>(input->zero)},
                                                 {result->scale, static_cast<int32_t>(result->zero)}, compute);
  tabulate(node, 16, [&](int32_t x, OneScale input, OneScale result) {
    return interpolate16(entries, static_cast<int16_t>(x + input.zero)) - result.zero;
  });
}

void importTabulated(TfliteNode &node, float (*function)(float)) {
  importReal(node, [&](float real, float, float) { return function(real); });
}

//===----------------------------------------------------------------------===//
// 2. Exponential functions
//===----------------------------------------------------------------------===//

/// True if the result has the scale 2^-fractionalBits and the zero point `zero`. Otherwise, reports an error.
static bool checkResult(TfliteNode &node, int fractionalBits, int64_t zero) {
  FailureOr<OneScale> result = readResultScale(node);
  if (failed(result))
    return false;
  if (result->scale == std::ldexp(1.0F, -fractionalBits) && result->zero == zero)
    return true;
  node.error() << "output 0 must have the scale 1/" << (1 << fractionalBits) << " and the zero point " << zero
               << ", but does not; convert the model again";
  return false;
}

/// Imports LOGISTIC or TANH of signed 16-bit integers by the table of the logistic function.
static void importOf16Bits(TfliteNode &node, bool isTanh) {
  FailureOr<OneScale> input = readOneScale(node, 0);
  if (failed(input) || !checkResult(node, /*fractionalBits=*/15, 0))
    return;
  const LogisticTable function(input->scale, isTanh);
  if (input->zero != 0 || !function.isPossible()) {
    node.error() << node->nameOf(0)
                 << " must have a scale of at most 2.6 and the zero point 0, but does not; convert the "
                 << "model again";
    return;
  }
  tabulate(node, 16, [&](int32_t x, OneScale, OneScale) { return int64_t(function(static_cast<int16_t>(x))); });
}

/// Imports a fixed-point function with operands in Q4. Results for larger operands are clamped to the result's range.
static void importFunction(TfliteNode &node, int32_t (*function)(int32_t), int fractionalBits, bool isTanh) {
  if (isInterpolated(node))
    return importOf16Bits(node, isTanh);
  FailureOr<OneScale> input = readOneScale(node, 0);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  // The range of tanh is symmetric around 0.
  const int64_t resultZero = failed(range) ? 0 : isTanh ? range->low + 128 : range->low;
  if (failed(input) || failed(range) || !checkResult(node, fractionalBits, resultZero))
    return;
  constexpr int integerBits = 4;
  FixedPoint number = nn::toFixedPoint(static_cast<double>(input->scale) * (1 << (31 - integerBits)));
  const int32_t radius = getInputRadius(integerBits, number.shift);
  tabulate(node, 8, [&](int32_t distance, OneScale, OneScale) -> int64_t {
    if (std::abs(distance) >= radius)
      return distance < 0 ? -256 : 256;
    return nn::divideByPower(function(nn::requantize(nn::FixedPointRounding::Double, distance, number)),
                             31 - fractionalBits);
  });
}

void importQuantizedLogistic(TfliteNode &node) { importFunction(node, logistic, /*fractionalBits=*/8, false); }

void importQuantizedTanh(TfliteNode &node) { importFunction(node, hyperbolicTangent, /*fractionalBits=*/7, true); }

void importQuantizedHardSwish(TfliteNode &node) {
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  if (failed(input) || failed(result))
    return;
  HardSwish function(input->scale, result->scale);
  if (!function.isPossible()) {
    node.error() << "the result's scale must be at least 1/128 of the input's, but is less; convert the model again";
    return;
  }
  tabulate(node, 8, [&](int32_t x, OneScale, OneScale) { return int64_t(function(x)); });
}

void importQuantizedLog(TfliteNode &node) {
  importReal(node, [](float real, float least, float) { return real <= 0 ? least : std::log(real); });
}

//===----------------------------------------------------------------------===//
// 3. Roots
//===----------------------------------------------------------------------===//

void importQuantizedSqrt(TfliteNode &node) {
  tabulate(node, 16, [](int32_t x, OneScale input, OneScale result) {
    const float root = std::sqrt(input.scale * static_cast<float>(std::max(x, 0)));
    return static_cast<int64_t>(std::min(root / result.scale, 1e6F));
  });
}

void importQuantizedReciprocalRoot(TfliteNode &node) {
  if (isInterpolated(node))
    return importReal(node, [](float real, float, float most) { return real <= 0 ? most : 1.0F / std::sqrt(real); });
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  if (failed(input) || failed(result))
    return;
  const float scale = std::sqrt(input->scale) * result->scale;
  constexpr int moreBits = 20;
  FixedPoint number = nn::toFixedPoint(1 / static_cast<double>(scale));
  number.shift -= moreBits;
  tabulate(node, 8, [&](int32_t x, OneScale, OneScale) -> int64_t {
    if (x <= 0)
      return INT16_MAX;
    FixedPoint root = reciprocalRoot(x);
    root.shift += moreBits;
    const int32_t fine = nn::requantize(nn::FixedPointRounding::Double, 1, root);
    return nn::requantize(nn::FixedPointRounding::Double, fine, number);
  });
}

//===----------------------------------------------------------------------===//
// 4. Conversions between scales
//===----------------------------------------------------------------------===//

Value convertInSinglePrecision(NnBuilder &nn, Value x, OneScale from, OneScale to) {
  const float inverse = 1.0F / to.scale, scale = from.scale * inverse, bias = static_cast<float>(-from.zero) * scale;
  SmallVector<int32_t> table;
  for (int code = 0; code <= UINT8_MAX; ++code) {
    const float product = static_cast<float>(code) * scale, steps = product + bias;
    table.push_back(static_cast<int32_t>(std::clamp<int64_t>(roundSteps(steps) + to.zero, 0, UINT8_MAX)));
  }
  return lookUp(nn, nn.cast(x, nn.types().getI32Type()), 0, table, getElementType(x));
}

} // namespace nacre::importer::tflite_format
