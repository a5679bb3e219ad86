// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/HalfSteps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// 1. Noise
//===----------------------------------------------------------------------===//

int64_t equalStepsOfWinograd(int64_t steps) {
  // Measured on random convolutions of 16 to 512 channels: errors of 0.8e-3 to 1.2e-3 with 16 steps, 0.9e-3 to 1.5e-3
  // with 32, and 0.9e-3 to 2e-3 with 64. The transforms of the input and of the filter round each value once.
  constexpr int64_t ofTransforms = 80;
  return ofTransforms + 7 * steps / 2;
}

double noiseOfHalfSum(const HalfProduct &product, int64_t steps) {
  // Measured on random products of halves: (4.4e-4)^2 with 16 steps, (8.8e-4)^2 with 64, (2.4e-3)^2 with 576. It grows
  // with the steps, because each of them rounds a sum that grows with their square root. Sums without a factor 0 have
  // twice as much (noise/Moments.h). kHalfNoise limits this measure.
  constexpr double noiseOfStep = 1.2e-8, noiseOfResult = 4.4e-8;
  const int64_t terms = std::min(product.depth, steps);
  return noiseOfStep * double(product.isWinograd ? equalStepsOfWinograd(terms) : terms) + noiseOfResult;
}

double noiseOfNetwork(ArrayRef<HalfProduct> products, ArrayRef<HalfLaunch> launches, ArrayRef<int64_t> steps) {
  DenseMap<unsigned, double> noises;
  double largest = 0;
  for (const HalfLaunch &launch : launches) {
    double noise = 0;
    for (unsigned value : launch.reads)
      noise = std::max(noise, noises.lookup(value));
    if (launch.product)
      noise += noiseOfHalfSum(products[*launch.product], steps[*launch.product]);
    for (unsigned value : launch.writes) {
      double &written = noises[value];
      written = std::max(written, noise);
    }
    largest = std::max(largest, noise);
  }
  return largest;
}

//===----------------------------------------------------------------------===//
// 2. Choice
//===----------------------------------------------------------------------===//

/// Returns the steps of a product if a unit of noise costs `price` multiply-adds. Each of its launches adds the noise.
static int64_t chooseSteps(const HalfProduct &product, double launches, double price) {
  // A flush of a register of sums takes as long as so many of its multiply-adds.
  constexpr double flush = 7;
  if (product.isWhole)
    return std::max(kLeastHalfSteps, product.depth);
  SmallVector<int64_t, 6> choices;
  if (product.depth <= kMostHalfSteps) // Without a flush, sums need no memory.
    choices.push_back(std::max(kLeastHalfSteps, product.depth));
  for (int64_t steps = kLeastHalfSteps; steps <= kMostHalfSteps; steps *= 2)
    choices.push_back(steps);

  int64_t best = kLeastHalfSteps;
  double bestCost = std::numeric_limits<double>::infinity();
  for (int64_t steps : choices) {
    const int64_t flushes = product.depth <= steps ? 0 : divideCeil(product.depth, steps);
    const double cost = product.multiplyAdds * flush * double(flushes) / double(product.depth) +
                        price * launches * noiseOfHalfSum(product, steps);
    if ((steps == kLeastHalfSteps || steps <= product.mostSteps) && cost < bestCost) {
      bestCost = cost;
      best = steps;
    }
  }
  return best;
}

SmallVector<int64_t> chooseHalfSteps(ArrayRef<HalfProduct> products, ArrayRef<HalfLaunch> launches, double limit) {
  SmallVector<double> counts(products.size());
  for (const HalfLaunch &launch : launches)
    if (launch.product)
      ++counts[*launch.product];
  auto choose = [&](double price) {
    SmallVector<int64_t> steps;
    for (auto [product, count] : zip_equal(products, counts))
      steps.push_back(chooseSteps(product, count, price));
    return steps;
  };
  // Prices at which the smallest product has the most steps, and the largest one the fewest.
  double low = 1, high = 1e24;
  SmallVector<int64_t> steps = choose(low);
  if (noiseOfNetwork(products, launches, steps) <= limit)
    return steps;
  // Noise falls as its price rises. Halve the range of the price's exponent.
  for (int halving = 0; halving < 48; ++halving) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (noiseOfNetwork(products, launches, choose(middle)) <= limit ? high : low) = middle;
  }
  return choose(high);
}

} // namespace nacre::encode
