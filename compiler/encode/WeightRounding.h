// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds f32 values to 16-bit floats and measures the error.
// Why: before weights are stored in half the bytes, the compiler must know whether the error is acceptable, and must
//      tell the user. This class needs no MLIR, so that unit tests can call it.

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

  /// Rounds `numbers` into `codes`, which has as many elements.
  void round(llvm::ArrayRef<float> numbers, llvm::MutableArrayRef<uint16_t> codes);

  /// Returns the largest relative error of a value. Values below the smallest normal number of the format are not
  /// counted here, because they may lose everything. They count in `relativeError` only.
  double largestRelativeError() const { return largest; }
  /// Returns the relative error of all values as one vector: the norm of the errors, divided by the norm of the values.
  double relativeError() const;
  /// Returns the first finite value that became infinite; 0 if there was no such value.
  float overflow() const { return beyond; }
  /// True if the error is no larger than that of rounding to the format's digits. False if too many values are so small
  /// that digits are missing.
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
