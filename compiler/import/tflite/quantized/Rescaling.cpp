// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Rescaling.h.

#include "compiler/import/tflite/quantized/Rescaling.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/IntegerArithmetic.h"
#include "compiler/import/compositions/Quantization.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

using nn::FixedPointRounding;

static FailureOr<OneScale> readScale(TfliteNode &node, const Quantization *quantization, const std::string &what) {
  if (!quantization || quantization->isPerAxis())
    return node.error() << what << " must be quantized with a single scale, but "
                        << (quantization ? "has several scales" : "has no scale");
  return OneScale{quantization->scales[0], quantization->zeros[0]};
}

FailureOr<OneScale> readOneScale(TfliteNode &node, size_t operand) {
  return readScale(node, node.getQuantization(operand), node->nameOf(operand));
}

FailureOr<OneScale> readResultScale(TfliteNode &node, size_t result) {
  return readScale(node, node.getResultQuantization(result), "output " + std::to_string(result));
}

Value centre(NnBuilder &nn, Value integers, int64_t zero) {
  Value wide = nn.cast(integers, nn.types().getI32Type());
  return zero ? nn.add(wide, -static_cast<double>(zero)) : wide;
}

FixedPointTables makeTables(NnBuilder &nn, ArrayRef<FixedPoint> numbers) {
  auto make = [&](auto field) {
    SmallVector<int32_t> values = llvm::map_to_vector(numbers, field);
    SmallVector<int64_t> shape;
    if (numbers.size() != 1)
      shape.push_back(static_cast<int64_t>(numbers.size()));
    auto type = RankedTensorType::get(shape, nn.types().getI32Type());
    return nn.constant(DenseIntElementsAttr::get(type, ArrayRef(values)));
  };
  return {make([](FixedPoint number) { return number.multiplier; }),
          make([](FixedPoint number) { return number.shift; })};
}

Value multiply(NnBuilder &nn, Value x, FixedPoint number, FixedPointRounding rounding) {
  FixedPointTables tables = makeTables(nn, number);
  return nn.requantize(rounding, x, tables.multiplier, tables.shift);
}

Value saturate(NnBuilder &nn, Value x, int64_t zero, IntegerRange range, Type type) {
  Value moved = zero ? nn.add(x, static_cast<double>(zero)) : x;
  return nn.cast(clamp(nn, moved, static_cast<double>(range.low), static_cast<double>(range.high)), type);
}

Value toReals(TfliteNode &node, size_t operand) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(operand);
  const Quantization *quantization = node.getQuantization(operand);
  if (!x || !quantization)
    return x;
  auto type = RankedTensorType::get(static_cast<int64_t>(quantization->scales.size()), nn.types().getF32Type());
  Value scales = nn.constant(DenseElementsAttr::get(type, quantization->scales));
  Value zeros = llvm::all_of(quantization->zeros, [](int64_t zero) { return zero == 0; })
                    ? Value()
                    : nn.cast(nn.integers(quantization->zeros), getElementType(x));
  return dequantize(nn, x, scales, zeros, {quantization->axis}, nn.types().getF32Type());
}

/// Returns a factor for each of the filter's scales; fails after an error.
static FailureOr<SmallVector<FixedPoint>> scaleChannels(TfliteNode &node, size_t input, size_t filter,
                                                        int64_t filterAxis, bool hasSingleProduct) {
  FailureOr<OneScale> inputScale = readOneScale(node, input), result = readResultScale(node);
  const Quantization *scales = node.getQuantization(filter);
  if (failed(inputScale) || failed(result))
    return failure();
  if (!scales || (scales->isPerAxis() && scales->axis != filterAxis))
    return node.error() << node->nameOf(filter) << " must have one scale, or one per index of axis " << filterAxis;
  const bool isSingle = hasSingleProduct && !scales->isPerAxis();
  return llvm::map_to_vector(scales->scales, [&](float scale) {
    return isSingle ? scaleOfSingleProducts(inputScale->scale, scale, result->scale)
                    : scaleOfProducts(inputScale->scale, scale, result->scale);
  });
}

void finishProducts(TfliteNode &node, Value sums, size_t input, size_t filter, size_t bias, int64_t filterAxis,
                    bool hasSingleProduct) {
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<FixedPoint>> numbers = scaleChannels(node, input, filter, filterAxis, hasSingleProduct);
  FailureOr<OneScale> result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  int64_t biasType = node->getInt("quantized_bias_type", schema::TensorType_FLOAT32);
  if (failed(numbers) || failed(result) || failed(range) || node->hasFailed() || !sums)
    return node.setResult({});
  // Products of 16-bit integers are added in 64 bits, unless the bias has 32 bits.
  Value added = node.getOperand(bias);
  Type i32 = nn.types().getI32Type();
  if (added ? getElementType(added) == i32 : biasType == schema::TensorType_INT32)
    sums = nn.cast(sums, i32);
  if (!sums)
    return node.setResult({});
  if (added)
    sums = nn.add(sums, nn.cast(added, getElementType(sums)));
  FixedPointTables tables = makeTables(nn, *numbers);
  const bool isWide = sums && getElementType(sums).isInteger(64);
  Value scaled = nn.requantize(isWide ? FixedPointRounding::Mult16 : FixedPointRounding::Double, sums,
                               tables.multiplier, tables.shift);
  node.setResult(saturate(nn, scaled, result->zero, *range, node.getResultElementType()));
}

} // namespace nacre::importer::tflite_format
