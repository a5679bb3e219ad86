// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses for how many steps each product of a network may be added up in fp16.
// Why: a flush into fp32 sums costs time, and steps without one cost digits. A product with few multiply-adds adds as
//      much noise to the network's outputs as one with many, but its flushes cost less.
// How: 1. the noise of one product; 2. each product takes the steps for which its time, plus its noise at a price, is
//      least. The price is the lowest one at which the outputs' noise is within the limit.

#ifndef NACRE_COMPILER_ENCODE_HALFSTEPS_H
#define NACRE_COMPILER_ENCODE_HALFSTEPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace nacre::encode {

/// Largest noise of a network's outputs, as a share of their power: -43 dB.
inline constexpr double kHalfNoise = 5e-5;

/// Fewest and most steps of a product. Beyond them, flushes take too much time, or too little to matter.
inline constexpr int64_t kLeastHalfSteps = 16, kMostHalfSteps = 256;

/// Product of halves. Several launches may compute it, of different operands.
struct HalfProduct {
  double multiplyAdds = 0; ///< Number in a run, of all of its launches
  int64_t depth = 1;       ///< Number of terms of a sum
  int64_t mostSteps = 64;  ///< Largest number of steps for which a sum does not overflow fp16
  bool isWhole = false;    ///< True if a sum must have all steps, as in a depthwise convolution.
  bool isWinograd = false; ///< True if terms are products of values that Winograd's transforms have rounded to f16.
};

/// Launch of a network: it reads values and writes some. Values are numbers.
struct HalfLaunch {
  llvm::SmallVector<unsigned> reads, writes;
  std::optional<unsigned> product; ///< Index of the product that it computes.
};

/// Returns how many steps of a direct product add as much noise as `steps` steps of transformed values. Winograd's
/// transforms round these to f16.
int64_t equalStepsOfWinograd(int64_t steps);

/// Returns the variance of a random product's errors if its sums are flushed after `steps` terms. It is relative to the
/// variance of the results.
double noiseOfHalfSum(const HalfProduct &product, int64_t steps);

/// Returns the largest noise that the launches, in the order of a run, leave in a value. Noises of operands do not add
/// up, because their signals do, too. `steps` has one number for each product.
double noiseOfNetwork(llvm::ArrayRef<HalfProduct> products, llvm::ArrayRef<HalfLaunch> launches,
                      llvm::ArrayRef<int64_t> steps);

/// Returns the steps of each product. If even the fewest steps exceed `limit`, all products have them.
llvm::SmallVector<int64_t> chooseHalfSteps(llvm::ArrayRef<HalfProduct> products, llvm::ArrayRef<HalfLaunch> launches,
                                           double limit = kHalfNoise);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_HALFSTEPS_H
