// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/HalfSteps.h"

#include "compiler/encode/noise/ProductNoise.h"
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

double noiseOfHalfSum(const HalfProduct &product, const HalfOption &option) {
  // Measured on random products of halves: (4.4e-4)^2 with 16 steps, (8.8e-4)^2 with 64, (2.4e-3)^2 with 576. It grows
  // with the steps, because each of them rounds a sum that grows with their square root. Sums without a factor 0 have
  // twice as much (noise/Moments.h). kHalfNoise limits this measure.
  constexpr double noiseOfStep = 1.2e-8, noiseOfResult = 4.4e-8;
  const int64_t terms = std::min(product.depth, option.steps);
  const bool isTransformed = option.tile > 0 && option.steps > 0;
  return noiseOfStep * double(isTransformed ? equalStepsOfWinograd(option.tile, terms) : terms) + noiseOfResult;
}

double noiseOfNetwork(ArrayRef<HalfProduct> products, ArrayRef<HalfLaunch> launches, ArrayRef<HalfOption> options) {
  DenseMap<unsigned, double> noises;
  double largest = 0;
  for (const HalfLaunch &launch : launches) {
    double noise = 0;
    for (unsigned value : launch.reads)
      noise = std::max(noise, noises.lookup(value));
    if (launch.product)
      noise += noiseOfHalfSum(products[*launch.product], options[*launch.product]);
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

static SmallVector<HalfOption> optionsOf(const HalfProduct &product) {
  // A flush of a register of sums takes as long as so many of its multiply-adds.
  constexpr double flush = 7;
  auto direct = [&](int64_t steps) -> HalfOption {
    const int64_t flushes = product.depth <= steps ? 0 : divideCeil(product.depth, steps);
    return {0, steps, 1 + flush * double(flushes) / double(product.depth)};
  };
  if (product.isWhole)
    return {direct(std::max(kLeastHalfSteps, product.depth))};
  // A product of transformed values is about as large as nine direct ones.
  constexpr int64_t directProducts = 8;
  SmallVector<HalfOption> options;
  copy_if(product.winograd, std::back_inserter(options),
          [&](const HalfOption &option) { return option.steps * directProducts <= product.mostSteps; });
  if (product.depth <= kMostHalfSteps) // Without a flush, sums need no memory.
    options.push_back(direct(std::max(kLeastHalfSteps, product.depth)));
  for (int64_t steps = kLeastHalfSteps; steps <= kMostHalfSteps; steps *= 2)
    options.push_back(direct(steps));
  erase_if(options,
           [&](const HalfOption &option) { return option.steps > std::max(kLeastHalfSteps, product.mostSteps); });
  return options;
}

/// Returns the best of `options` if a unit of noise costs `price` multiply-adds. Each launch of the product adds the
/// noise.
static HalfOption bestOf(ArrayRef<HalfOption> options, const HalfProduct &product, double launches, double price) {
  const HalfOption *best = nullptr;
  double bestCost = std::numeric_limits<double>::infinity();
  for (const HalfOption &option : options) {
    const double cost = product.multiplyAdds * option.time + price * launches * noiseOfHalfSum(product, option);
    if (!best || cost < bestCost) {
      bestCost = cost;
      best = &option;
    }
  }
  return *best;
}

SmallVector<HalfOption> chooseHalfSteps(ArrayRef<HalfProduct> products, ArrayRef<HalfLaunch> launches, double limit) {
  SmallVector<double> counts(products.size());
  for (const HalfLaunch &launch : launches)
    if (launch.product)
      ++counts[*launch.product];
  const auto options = map_to_vector(products, optionsOf);
  auto choose = [&](double price) {
    SmallVector<HalfOption> chosen;
    for (auto [product, ofProduct, count] : zip_equal(products, options, counts))
      chosen.push_back(bestOf(ofProduct, product, count, price));
    return chosen;
  };
  // Prices at which the smallest product has the fastest option, and the largest one the most exact option.
  double low = 1, high = 1e24;
  SmallVector<HalfOption> fastest = choose(low);
  if (noiseOfNetwork(products, launches, fastest) <= limit)
    return fastest;
  // Noise falls as its price rises. Halve the range of the price's exponent.
  for (int halving = 0; halving < 48; ++halving) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (noiseOfNetwork(products, launches, choose(middle)) <= limit ? high : low) = middle;
  }
  return choose(high);
}

} // namespace nacre::encode
