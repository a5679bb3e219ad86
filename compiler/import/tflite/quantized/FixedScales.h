// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ratios of scales as fixed-point numbers, each computed with the same precision as in the reference kernels.
//
// One additional rounding of a ratio can change the multiplier, and thus some results. So the precision of the ratio is
// part of an operator's definition.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H

#include "dialects/nn/FixedPoint.h"

#include <optional>

namespace nacre::importer::tflite_format {

using nn::FixedPoint;

/// Returns the factor from integers of one scale to those of another.
inline FixedPoint scaleBetween(float from, float to) {
  return nn::toFixedPoint(static_cast<double>(from) / static_cast<double>(to));
}

/// Returns the factor from a sum of products to the result, for convolutions, and for fully connected layers with a
/// scale for each channel.
inline FixedPoint scaleOfProducts(float input, float filter, float result) {
  return nn::toFixedPoint(static_cast<double>(input) * static_cast<double>(filter) / static_cast<double>(result));
}

/// Like scaleOfProducts(), but the product of the scales has single precision. For unsigned integers, and for fully
/// connected layers with one scale.
inline FixedPoint scaleOfSingleProducts(float input, float filter, float result) {
  const float product = input * filter;
  return nn::toFixedPoint(static_cast<double>(product) / static_cast<double>(result));
}

/// Returns alpha * input / result, computed in single precision. For slopes, and for products of unsigned integers.
inline FixedPoint scaleOfSlope(float input, float alpha, float result) {
  const float product = input * alpha, ratio = product / result;
  return nn::toFixedPoint(static_cast<double>(ratio));
}

/// Factors of a sum. `lhs` and `rhs` convert operands, which are first shifted left, to twice the larger scale.
/// `result` converts the sum from that scale, and shifts it back.
struct SumScales {
  FixedPoint lhs, rhs, result;
};
inline SumScales scalesOfSum(float lhs, float rhs, float result, int leftShift) {
  const double twice = 2 * static_cast<double>(std::max(lhs, rhs));
  return {nn::toFixedPoint(static_cast<double>(lhs) / twice), nn::toFixedPoint(static_cast<double>(rhs) / twice),
          nn::toFixedPoint(twice / (static_cast<double>(1 << leftShift) * static_cast<double>(result)))};
}

/// Returns the factors of a squared difference, which are used like those of scalesOfSum().
inline SumScales scalesOfSquare(float lhs, float rhs, float result, int leftShift) {
  SumScales scales = scalesOfSum(lhs, rhs, result, leftShift);
  const double twice = 2 * static_cast<double>(std::max(lhs, rhs));
  scales.result = nn::toFixedPoint(twice * twice / (std::ldexp(static_cast<double>(result), 2 * leftShift)));
  return scales;
}

/// Returns the factor from a quotient of integers to the result, in single precision.
inline FixedPoint scaleOfQuotient(float lhs, float rhs, float result) {
  const float product = rhs * result, ratio = lhs / product;
  return nn::toFixedPoint(static_cast<double>(ratio));
}

/// Returns n if `scale` is nearly 2^n; otherwise nullopt.
inline std::optional<int> findPowerOfTwo(float scale) {
  const float logarithm = std::log(scale) * (1.0F / std::log(2.0F)), rounded = std::round(logarithm);
  return std::fabs(logarithm - rounded) < 1e-3F ? std::optional<int>(static_cast<int>(rounded)) : std::nullopt;
}

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H
