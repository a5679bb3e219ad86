// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/encoding/WinogradGrowth.h"

#include "codegen/form/Winograd.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace nacre::codegen {

double winogradGrowth(int64_t tile) {
  constexpr double taps = winograd::kTaps * winograd::kTaps;
  return winograd::inputsOf(tile) * winograd::inputsOf(tile) / taps;
}

double mostGrowth(double weightBytes, std::optional<unsigned> percent) {
  if (percent)
    return weightBytes * *percent / 100;
  // A run is promised to take the model's weights, its arena and 8 MiB, of which most are free.
  return std::min(weightBytes / 4, double(3 << 20));
}

double cyclesSaved(double direct, double winograd) {
  // What is nearly as fast is not worth its bytes, nor its rounding.
  constexpr double worthwhile = 0.85;
  return winograd < direct * worthwhile ? direct - winograd : 0;
}

llvm::SmallVector<int64_t> spendGrowth(llvm::ArrayRef<GrowthOffers> layers, double bytes) {
  llvm::SmallVector<GrowthOffer> taken(layers.size());
  while (true) {
    const GrowthOffer *best = nullptr;
    size_t layer = 0;
    double most = 0;
    for (auto [number, offers] : llvm::enumerate(layers))
      for (const GrowthOffer &offer : offers) {
        const double saves = offer.cycles - taken[number].cycles, grows = offer.bytes - taken[number].bytes;
        if (saves > 0 && grows <= bytes && saves > most * grows) {
          best = &offer;
          layer = number;
          most = saves / std::max(grows, 1.0);
        }
      }
    if (!best)
      break;
    bytes -= best->bytes - taken[layer].bytes;
    taken[layer] = *best;
  }
  llvm::SmallVector<int64_t> tiles;
  for (const GrowthOffer &offer : taken)
    tiles.push_back(offer.tile);
  return tiles;
}

} // namespace nacre::codegen
