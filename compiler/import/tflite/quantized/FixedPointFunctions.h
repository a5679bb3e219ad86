// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials and their kin in integers alone, as the reference kernels compute them (gemmlowp's fixed point): numbers, no IR.
//
// Why:  what stands for a real in 8 bits is one of 256, so a function of it is a table; its entries are these numbers.
// How:  a number of Q(n) is raw / 2^(31 - n), in 16 bits raw / 2^(15 - n). Products round halves up and saturate (nn::multiplyHigh).

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H

#include "dialects/nn/FixedPoint.h"

namespace nacre::importer::tflite_format {

/// exp(x) of x <= 0 in Q(integerBits), which is 5 at most; the result is in Q0.
int32_t expOfNegative(int32_t x, int integerBits);

/// 1 / (1 + x) and (1 - x) / (1 + x) of x in [0, 1); all in Q0.
int32_t reciprocalOfOnePlus(int32_t x);
int32_t oneMinusOverOnePlus(int32_t x);

/// 1 / (1 + exp(-x)) and tanh(x) of x in Q4; the results are in Q0.
int32_t logistic(int32_t x);
int32_t hyperbolicTangent(int32_t x);

/// 1 / sqrt(x) of x above 0.
nn::FixedPoint reciprocalRoot(int32_t x);

/// 1 / x of x above 0.
nn::FixedPoint reciprocal(int32_t x);

/// logistic and hyperbolicTangent in 16 bits, of x in Q(integerBits), which is 6 at most.
int16_t logistic16(int16_t x, int integerBits);
int16_t hyperbolicTangent16(int16_t x, int integerBits);

/// x * relu6(x + 3) / 6 of an integer by one scale, as an integer by another without its zero point; all numbers have 16 bits.
class HardSwish {
public:
  HardSwish(float inputScale, float resultScale);
  /// Whether the scales are some that 16 bits are enough for.
  bool isPossible() const { return resultShift <= 0 && gateShift < 16; }
  int32_t operator()(int32_t x) const;

private:
  int16_t resultMultiplier, gateMultiplier;
  int32_t resultShift, gateShift;
};

/// How far from 0 integers reach that the function takes: those behind `leftShift` in Q(integerBits).
int32_t getInputRadius(int integerBits, int leftShift);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTFUNCTIONS_H
