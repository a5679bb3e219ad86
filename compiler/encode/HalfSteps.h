// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses for how many steps each product of a network may be added up in fp16, and if it goes by Winograd.
// Why: a flush into fp32 sums costs time, and steps without one cost digits. So do transforms of values in fp16. A
//      product with few multiply-adds adds as much noise to the network's outputs as one with many, but costs less.
// How: 1. the noise of one product; 2. each product takes the option for which its time, plus its noise at a price, is
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

/// A network whose predicted noise is below this ratio, in decibels, may have faster options with more noise.
inline constexpr double kAmpleDecibels = 55;

/// Fewest and most steps of a product. Beyond them, flushes take too much time, or too little to matter.
inline constexpr int64_t kLeastHalfSteps = 16, kMostHalfSteps = 256;

/// Way to compute a product of halves.
struct HalfOption {
  int64_t tile = 0;  ///< Outputs of a Winograd tile along each dimension. 0: direct products.
  int64_t steps = 0; ///< Terms that are added up in fp16. 0: values are widened to fp32 before they are multiplied.
  /// Time relative to direct products without flushes.
  double time = 1;
};

/// Product of halves. Several launches may compute it, of different operands.
struct HalfProduct {
  double multiplyAdds = 0;                        ///< Number in a run, of all of its launches, of direct products
  int64_t depth = 1;                              ///< Number of terms of a direct sum
  int64_t mostSteps = 64;                         ///< Largest number of steps for which a sum does not overflow fp16
  bool isWhole = false;                           ///< True if a sum must have all steps, as in a depthwise convolution.
  llvm::SmallVector<HalfOption, 0> winograd = {}; ///< Ways by Winograd. Their terms are transformed channels.
};

/// Launch of a network: it reads values and writes some. Values are numbers.
struct HalfLaunch {
  llvm::SmallVector<unsigned> reads, writes;
  std::optional<unsigned> product; ///< Index of the product that it computes.
};

/// Returns the variance of a random product's errors, relative to the variance of the results.
double noiseOfHalfSum(const HalfProduct &product, const HalfOption &option);

/// Returns the largest noise that the launches, in the order of a run, leave in a value. Noises of operands do not add
/// up, because their signals do, too. `options` has the chosen one of each product.
double noiseOfNetwork(llvm::ArrayRef<HalfProduct> products, llvm::ArrayRef<HalfLaunch> launches,
                      llvm::ArrayRef<HalfOption> options);

/// Returns the options of all products. If even the most exact ones exceed `limit`, all products have them.
llvm::SmallVector<HalfOption> chooseHalfSteps(llvm::ArrayRef<HalfProduct> products, llvm::ArrayRef<HalfLaunch> launches,
                                              double limit = kHalfNoise);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_HALFSTEPS_H
