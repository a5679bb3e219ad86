// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  numbers of f32 as floats of 16 bits, and what the rounding costs them.
// Why:   who stores weights at half the bytes must know whether they bear it, and tell the user; plain numbers, so that it
//        can be tested alone.

#ifndef NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H
#define NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H

#include "dialects/nn/FloatFormats.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace nacre::encode {

/// Rounds numbers of f32 to a float of 16 bits, list by list, and adds up what is lost.
class WeightRounding {
public:
  explicit WeightRounding(const nn::FloatFormat &format);

  /// `codes` has as many elements as `numbers`.
  void round(llvm::ArrayRef<float> numbers, llvm::MutableArrayRef<uint16_t> codes);

  /// The largest error of a number, over the number itself. What is too small to be a normal number of the format is not
  /// among them: it loses more, up to all, and counts in `relativeError` alone.
  double largestRelativeError() const { return largest; }
  /// Of all numbers as one vector: the length of the errors over theirs.
  double relativeError() const;
  /// The first finite number that became infinite; 0 where there is none.
  float overflow() const { return beyond; }
  /// Whether all of it is as exact as a rounding to the format's digits: not, where too many numbers are so small that
  /// digits are missing.
  bool keepsDigits() const;

private:
  const nn::FloatFormat &format;
  int droppedBits;
  uint32_t biasDifference;           ///< Of the two exponents, where f32 has its own.
  uint32_t firstNormal, firstBeyond; ///< Of the format, as bits of f32.
  double largest = 0, errors = 0, squares = 0;
  float beyond = 0;
};

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_WEIGHTROUNDING_H
