// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials and related functions with integer arithmetic only, bit-exact with the reference kernels (gemmlowp's
// fixed point). They compute numbers at compile time.
//
// An 8-bit integer has 256 values, so a function of it is a table whose entries these functions compute. A number in
// Q(n) is raw / 2^(31 - n), or raw / 2^(15 - n) in 16 bits. Products are rounded (x.5 up) and saturate
// (nn::multiplyHigh).

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H

#include "dialects/nn/FixedPoint.h"

namespace nacre::importer::tflite_format {

/// Returns exp(x) in Q0 for x <= 0 in Q(integerBits). `integerBits` is at most 5.
int32_t expOfNegative(int32_t x, int integerBits);

/// Return 1 / (1 + x) and (1 - x) / (1 + x) for x in [0, 1); all in Q0.
int32_t reciprocalOfOnePlus(int32_t x);
int32_t oneMinusOverOnePlus(int32_t x);

/// Return 1 / (1 + exp(-x)) and tanh(x) for x in Q4; the results are in Q0.
int32_t logistic(int32_t x);
int32_t hyperbolicTangent(int32_t x);

/// Returns 1 / sqrt(x) for positive x.
nn::FixedPoint reciprocalRoot(int32_t x);

/// Returns 1 / x for positive x.
nn::FixedPoint reciprocal(int32_t x);

/// Like logistic() and hyperbolicTangent(), but with 16 bits and for x in Q(integerBits). `integerBits` is at most 6.
int16_t logistic16(int16_t x, int integerBits);
int16_t hyperbolicTangent16(int16_t x, int integerBits);

/// Computes x * relu6(x + 3) / 6 with 16-bit numbers. Input and result may have different scales. The result does not
/// include the zero point.
class HardSwish {
public:
  HardSwish(float inputScale, float resultScale);
  /// True if 16 bits suffice for the scales.
  bool isPossible() const { return resultShift <= 0 && gateShift < 16; }
  int32_t operator()(int32_t x) const;

private:
  int16_t resultMultiplier, gateMultiplier;
  int32_t resultShift, gateShift;
};

/// Returns the largest absolute value of an integer that is in the range of Q(integerBits) after a left shift by
/// `leftShift`.
int32_t getInputRadius(int integerBits, int leftShift);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H
