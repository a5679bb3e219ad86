// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ratios of scales as fixed-point numbers, in the precision in which the reference kernels take each of them.
//
// Why:  a ratio that is rounded once more, or once less, is another multiplier, and then some results are others: in which
//       precision a product is taken differs by operator, and is part of what it means.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H

#include "dialects/nn/FixedPoint.h"

#include <optional>

namespace nacre::importer::tflite_format {

using nn::FixedPoint;

/// From integers by one scale to integers by another.
inline FixedPoint scaleBetween(float from, float to) {
  return nn::toFixedPoint(static_cast<double>(from) / static_cast<double>(to));
}

/// From a sum of products to the result: of convolutions, and of fully connected layers with a scale for each channel.
inline FixedPoint scaleOfProducts(float input, float filter, float result) {
  return nn::toFixedPoint(static_cast<double>(input) * static_cast<double>(filter) / static_cast<double>(result));
}

/// The same of fully connected layers with one scale, and of integers without a sign: the product has single precision.
inline FixedPoint scaleOfSingleProducts(float input, float filter, float result) {
  const float product = input * filter;
  return nn::toFixedPoint(static_cast<double>(product) / static_cast<double>(result));
}

/// alpha * input / result, all of it in single precision: of slopes, and of products of integers without a sign.
inline FixedPoint scaleOfSlope(float input, float alpha, float result) {
  const float product = input * alpha, ratio = product / result;
  return nn::toFixedPoint(static_cast<double>(ratio));
}

/// Both operands of a sum, shifted to the left, on a scale of twice the larger one, and that scale on the result's.
struct SumScales {
  FixedPoint lhs, rhs, result;
};
inline SumScales scalesOfSum(float lhs, float rhs, float result, int leftShift) {
  const double twice = 2 * static_cast<double>(std::max(lhs, rhs));
  return {nn::toFixedPoint(static_cast<double>(lhs) / twice), nn::toFixedPoint(static_cast<double>(rhs) / twice),
          nn::toFixedPoint(twice / (static_cast<double>(1 << leftShift) * static_cast<double>(result)))};
}

/// The same of the square of a difference.
inline SumScales scalesOfSquare(float lhs, float rhs, float result, int leftShift) {
  SumScales scales = scalesOfSum(lhs, rhs, result, leftShift);
  const double twice = 2 * static_cast<double>(std::max(lhs, rhs));
  scales.result = nn::toFixedPoint(twice * twice / (std::ldexp(static_cast<double>(result), 2 * leftShift)));
  return scales;
}

/// From a quotient of integers to the result, in single precision.
inline FixedPoint scaleOfQuotient(float lhs, float rhs, float result) {
  const float product = rhs * result, ratio = lhs / product;
  return nn::toFixedPoint(static_cast<double>(ratio));
}

/// The power of two that a scale is, or is near to.
inline std::optional<int> findPowerOfTwo(float scale) {
  const float logarithm = std::log(scale) * (1.0F / std::log(2.0F)), rounded = std::round(logarithm);
  return std::fabs(logarithm - rounded) < 1e-3F ? std::optional<int>(static_cast<int>(rounded)) : std::nullopt;
}

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDSCALES_H
