// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of integers of 8 bits that stand for reals, as tables of 256 entries.

#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tflite/quantized/FixedPointFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {

Value lookUp(NnBuilder &nn, Value x, int64_t first, ArrayRef<int32_t> table, Type type) {
  auto tableType = RankedTensorType::get(static_cast<int64_t>(table.size()), type);
  Value entries = makeTable<int64_t>(nn, tableType, [&](int64_t index) { return int64_t(table[index]); });
  return nn.gather(entries, first ? nn.add(x, -static_cast<double>(first)) : x, /*axis=*/0);
}

/// A function of Q4 by its own integers, whose least and greatest stand for what lies further out.
static void importFunction(TfliteNode &node, int32_t (*function)(int32_t), int fractionalBits, int64_t resultZero) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  if (failed(input) || failed(result))
    return;
  constexpr int integerBits = 4;
  if (!getElementType(x).isSignlessInteger(8) || node.getResultElementType() != getElementType(x) ||
      result->zero != resultZero || result->scale != std::ldexp(1.0F, -fractionalBits)) {
    node.error() << "integers must be of 8 bits, and the result by 1/" << (1 << fractionalBits)
                 << " and the zero point " << resultZero << ", but are not; convert the model again";
    return;
  }
  FixedPoint number = nn::toFixedPoint(static_cast<double>(input->scale) * (1 << (31 - integerBits)));
  const int32_t radius = getInputRadius(integerBits, number.shift);
  SmallVector<int32_t> table;
  for (int64_t code = INT8_MIN; code <= INT8_MAX; ++code) {
    const int64_t distance = code - input->zero;
    int64_t entry = distance < 0 ? INT8_MIN : INT8_MAX;
    if (std::abs(distance) < radius)
      entry = nn::divideByPower(function(nn::requantize(nn::FixedPointRounding::Double, distance, number)),
                                31 - fractionalBits) +
              resultZero;
    table.push_back(static_cast<int32_t>(std::clamp<int64_t>(entry, INT8_MIN, INT8_MAX)));
  }
  node.setResult(lookUp(nn, nn.cast(x, nn.types().getI32Type()), INT8_MIN, table, getElementType(x)));
}

/// A table of what becomes of the integers of 8 bits, less the zero point; without that of the result.
template <typename Function> static void tabulate(TfliteNode &node, Function function) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  if (getElementType(x).getIntOrFloatBitWidth() != 8 || node.getResultElementType() != getElementType(x)) {
    node.error() << "integers that stand for reals must be of 8 bits, but are not";
    return;
  }
  SmallVector<int32_t> table;
  for (int64_t code = range->low; code <= range->high; ++code) {
    const int64_t entry = function(static_cast<int32_t>(code - input->zero), *input, *result) + result->zero;
    table.push_back(static_cast<int32_t>(std::clamp(entry, range->low, range->high)));
  }
  node.setResult(lookUp(nn, nn.cast(x, nn.types().getI32Type()), range->low, table, getElementType(x)));
}

void importQuantizedHardSwish(TfliteNode &node) {
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  if (failed(input) || failed(result))
    return;
  HardSwish function(input->scale, result->scale);
  if (!function.isPossible()) {
    node.error()
        << "the result's scale must be no less than a 128th of the input's, but is less; convert the model again";
    return;
  }
  tabulate(node, [&](int32_t x, OneScale, OneScale) { return int64_t(function(x)); });
}

void importTabulated(TfliteNode &node, float (*function)(float)) {
  tabulate(node, [&](int32_t x, OneScale input, OneScale result) {
    const float inverse = 1 / result.scale, real = function(input.scale * static_cast<float>(x));
    const float steps = std::round(real * inverse);
    // What is no number, or far outside, is an end.
    return std::isnan(steps) ? int64_t(0) : static_cast<int64_t>(std::clamp(steps, -1e6F, 1e6F));
  });
}

void importQuantizedLogistic(TfliteNode &node) { importFunction(node, logistic, /*fractionalBits=*/8, INT8_MIN); }

void importQuantizedTanh(TfliteNode &node) { importFunction(node, hyperbolicTangent, /*fractionalBits=*/7, 0); }

} // namespace nacre::importer::tflite_format
