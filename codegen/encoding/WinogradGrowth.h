// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which filters of a model are transformed for Winograd: a transformed filter is larger, and all weights may grow
//        by so much.
// Why:   placement predicts by it what the CPU takes, and packing obeys it: one text for both. Plain numbers, so that
//        it can be tested alone.

#ifndef NACRE_CODEGEN_ENCODING_WINOGRADGROWTH_H
#define NACRE_CODEGEN_ENCODING_WINOGRADGROWTH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::codegen {

/// How many times as large a filter is when it is transformed for tiles of so many outputs along each dimension.
double winogradGrowth(int64_t tile);

/// By how many bytes weights of so many may grow in all, if `percent` is what the user allows.
double mostGrowth(double weightBytes, std::optional<unsigned> percent);

/// Of a launch, as far as they are worth a larger filter, and its rounding.
double cyclesSaved(double direct, double winograd);

/// What tiles of a size would save of a model's time, and by how much its weights would grow.
struct GrowthOffer {
  int64_t tile = 0;
  double cycles = 0, bytes = 0;
};
using GrowthOffers = llvm::SmallVector<GrowthOffer, 2>;

/// The tile for each of `layers`, 0 for a direct convolution: step by step the one that saves the most a byte, from a
/// direct convolution or from smaller tiles, while all stays within `bytes`.
llvm::SmallVector<int64_t> spendGrowth(llvm::ArrayRef<GrowthOffers> layers, double bytes);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_ENCODING_WINOGRADGROWTH_H
