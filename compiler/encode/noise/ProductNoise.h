// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the moments of sums of products: of convolutions and of products of matrices.

#ifndef NACRE_COMPILER_ENCODE_NOISE_PRODUCTNOISE_H
#define NACRE_COMPILER_ENCODE_NOISE_PRODUCTNOISE_H

#include "compiler/encode/noise/Moments.h"

namespace nacre::encode {

/// Constant factor of products.
struct WeightNumbers {
  std::vector<float> numbers;
  bool isRounded = false; ///< True if the numbers were rounded to f16.

  Moments at(int64_t place) const {
    const double number = numbers[place];
    return {number, 0, isRounded ? kHalfRounding * number * number : 0, 0, number != 0 ? 1.0 : 0.0};
  }
  /// Returns the moments of all numbers.
  Moments merged() const;
};

/// Loops of a sum of products. Each number is a distance in the moments of an operand.
struct ProductLoops {
  struct Step {
    int64_t left = 0, right = 0;
  };
  std::vector<Step> results;       ///< Results.
  std::vector<Step> terms;         ///< Terms of each result. They have different moments of the left operand.
  std::vector<int64_t> taps = {0}; ///< Taps of each term. Only their moments of the right operand differ.
  double repeats = 1;              ///< Number of taps with the same moments of both operands.
};

/// Sums in fp16.
struct HalfSum {
  int64_t steps = 0; ///< Terms that are added up in fp16 before they are added in f32. 0: all are added in f32.
  int64_t tile = 0;  ///< Outputs of a Winograd tile along each dimension. The terms are then transformed channels.
};

/// Returns the moments of each result. Noise that is equal at all positions adds up over the taps of a term as the
/// signal does.
std::vector<Moments> sumProducts(llvm::ArrayRef<Moments> left, llvm::ArrayRef<Moments> right, const ProductLoops &loops,
                                 const HalfSum &half);
std::vector<Moments> sumProducts(llvm::ArrayRef<Moments> left, const WeightNumbers &right, const ProductLoops &loops,
                                 const HalfSum &half);

/// Returns how many steps of a direct product add as much noise as `steps` steps of values that are transformed for
/// tiles of `tile` outputs. The transforms round values to f16.
int64_t equalStepsOfWinograd(int64_t tile, int64_t steps);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_PRODUCTNOISE_H
