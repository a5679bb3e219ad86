// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds f32 values to 16-bit floats and measures the error.
// Why: before weights are stored in half the bytes, the compiler must check that the error is acceptable, and must
//      report it to the user. This class needs no MLIR, so that unit tests can call it.

#ifndef NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H
#define NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H

#include "dialects/nn/FloatFormats.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace nacre::encode {

/// Rounds lists of f32 values to a 16-bit float format and accumulates the errors.
class WeightRounding {
public:
  explicit WeightRounding(const nn::FloatFormat &format);

  /// Rounds `numbers` and stores the results in `codes`, which has the same number of elements.
  void round(llvm::ArrayRef<float> numbers, llvm::MutableArrayRef<uint16_t> codes);

  /// Returns the largest relative error of a value. Values below the smallest normal value of the format are excluded,
  /// because they may lose all digits. They count only in relativeError().
  double largestRelativeError() const { return largest; }
  /// Returns the relative error of all values as one vector: the norm of the errors, divided by the norm of the values.
  double relativeError() const;
  /// Returns the first finite value that became infinite, or 0 if there was no such value.
  float overflow() const { return beyond; }
  /// True if rounding lost no more digits than the format requires. False if too many values are so small that they
  /// lost more digits.
  bool keepsDigits() const;

private:
  const nn::FloatFormat &format;
  int droppedBits;
  uint32_t biasDifference;           ///< Difference of the two exponent biases, at the position of f32's exponent.
  uint32_t firstNormal, firstBeyond; ///< Limits of the format's normal range, as bits of f32.
  double largest = 0, errors = 0, squares = 0;
  float beyond = 0;
};

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H
