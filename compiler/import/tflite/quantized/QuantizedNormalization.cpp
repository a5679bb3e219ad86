// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// L2_NORMALIZATION with integer arithmetic only. It multiplies each element by the reciprocal root of the sum of
// squares.

#include "compiler/import/tflite/quantized/QuantizedNormalization.h"

#include "compiler/import/tflite/quantized/FixedPointValues.h"
#include "compiler/import/tflite/quantized/Rescaling.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

void importQuantizedL2Normalization(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type type = getElementType(x);
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  constexpr int fractionalBits = 7;
  if (!type.isInteger(8) || node.getResultElementType() != type || result->zero != range->low + 128 ||
      result->scale != 1.0F / (1 << fractionalBits)) {
    node.error() << "integers must have 8 bits, and the result must have the scale 1/128 around the middle, but they "
                    "do not; convert the model again";
    return;
  }
  Value distance = centre(nn, x, input->zero);
  Value sum = nn.reduce(nn::ReduceKind::Sum, nn.mul(distance, distance), getRank(x) - 1, /*keepDims=*/true);
  FixedPointValue root = reciprocalRoot(nn, sum);
  // The reference shifts unsigned factors by the result's bits before the product, and signed ones after it.
  Value factor = type.isUnsignedInteger() ? nn.mul(distance, static_cast<double>(1 << fractionalBits)) : distance;
  Value shift = type.isUnsignedInteger() ? root.shift : nn.add(root.shift, fractionalBits);
  Value scaled = nn.requantize(nn::FixedPointRounding::Double, factor, root.multiplier, shift);
  node.setResult(saturate(nn, scaled, result->zero, *range, type));
}

} // namespace nacre::importer::tflite_format
