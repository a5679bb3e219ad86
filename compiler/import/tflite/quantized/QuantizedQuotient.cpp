// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DIV of quantized integers.
//
// One table contains the reciprocals of all 8-bit divisors. Another contains the number of bits by which each dividend
// can be shifted left before the product.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/FixedPointValues.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

using nn::BinaryKind;
using nn::FixedPointRounding;

constexpr int32_t farthest = 255; ///< largest distance of an 8-bit integer from its zero point

/// Returns the number of leading bits that equal the sign bit, without the sign bit.
static int32_t countSignBits(int32_t x) { return llvm::countl_zero(static_cast<uint32_t>(x < 0 ? ~x : x)) - 1; }

void importQuantizedQuotient(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> lhs = readOneScale(node, 0), rhs = readOneScale(node, 1), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (failed(lhs) || failed(rhs) || failed(result) || failed(range))
    return;
  Type type = node.getResultElementType(), i32 = nn.types().getI32Type();
  if (!type.isInteger(8) ||
      llvm::any_of(node->getOperands(), [&](Value operand) { return getElementType(operand) != type; })) {
    node.error() << "its operands and result must have the same 8-bit integer type, but do not";
    return;
  }
  SmallVector<int32_t> multipliers{0}, shifts{0}, headrooms;
  for (int32_t divisor = 1; divisor <= farthest; ++divisor) {
    const FixedPoint number = reciprocal(divisor);
    multipliers.push_back(number.multiplier);
    shifts.push_back(number.shift);
  }
  for (int32_t dividend = -farthest; dividend <= farthest; ++dividend)
    headrooms.push_back(std::min(countSignBits(dividend), 30));

  // The sign of the divisor is moved to the dividend.
  Value x = centre(nn, node.getOperand(0), lhs->zero), y = centre(nn, node.getOperand(1), rhs->zero);
  x = nn.select(nn.binary(BinaryKind::Less, y, 0.0), nn.unary(nn::UnaryKind::Neg, x), x);
  y = nn.unary(nn::UnaryKind::Abs, y);
  Value headroom = lookUp(nn, x, -farthest, headrooms, i32);
  Value quotient = nn.requantize(FixedPointRounding::Double, x, lookUp(nn, y, 0, multipliers, i32), headroom);
  const FixedPoint number = scaleOfQuotient(lhs->scale, rhs->scale, result->scale);
  Value shift = nn.add(nn.sub(lookUp(nn, y, 0, shifts, i32), headroom), number.shift);
  Value scaled = nn.requantize(FixedPointRounding::Double, quotient, constant32(nn, number.multiplier), shift);
  node.setResult(saturate(nn, scaled, result->zero, *range, type));
}

} // namespace nacre::importer::tflite_format
