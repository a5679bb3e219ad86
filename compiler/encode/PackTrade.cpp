// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/PackTrade.h"

#include <algorithm>

namespace nacre::encode {

bool isWorthALaunch(const PackTrade &trade, const codegen::MachineModel &model) {
  // Rates in bytes per nanosecond of one thread.
  const double fromCache = model.l2BytesPerCycle * model.gigahertz;
  const double fromBehind = model.farBytesPerCycle * model.gigahertz;
  const double apart = model.scatteredBytesPerCycle * model.gigahertz;
  const auto cacheBytes = double(model.l2Bytes);
  constexpr double atLeast = 1.1; // Factor by which the saved time must exceed the cost.
  const double bytes = double(trade.operandBytes);
  const bool isCached = 2 * bytes <= cacheBytes;
  const double pass = 2 * bytes / (isCached ? fromCache : fromBehind);
  // If there are few rows, units divide the columns anyway, and each unit reads all panels from memory.
  constexpr int64_t few = 64;
  const double reread = isCached || trade.rows >= few ? 0 : pass;
  const double packed = reread + (trade.replaces ? 0 : pass + model.launchNanoseconds);

  // Time to read the rows again for each panel, if they are too large for the cache.
  const double streamed =
      2 * double(trade.rowBytes) > cacheBytes ? double(trade.panels) * trade.rowBytes / fromBehind : 0;
  const double own = bytes / (trade.isAcross ? apart : 2 * fromCache);
  return double(trade.iterations) * (own + streamed + std::max(trade.gained, 0.0)) > atLeast * packed;
}

} // namespace nacre::encode
