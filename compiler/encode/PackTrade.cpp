// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/PackTrade.h"

#include <algorithm>

namespace nacre::encode {

bool isWorthALaunch(const PackTrade &trade, const codegen::MachineModel &model) {
  // Bytes a nanosecond, of one thread.
  const double fromCache = model.l2BytesPerCycle * model.gigahertz;
  const double fromBehind = model.farBytesPerCycle * model.gigahertz;
  const double apart = model.scatteredBytesPerCycle * model.gigahertz;
  const auto cacheBytes = double(model.l2Bytes);
  constexpr double atLeast = 1.1; // of what it costs
  const double bytes = double(trade.operandBytes);
  const bool isCached = 2 * bytes <= cacheBytes;
  const double pass = 2 * bytes / (isCached ? fromCache : fromBehind);
  // Few rows are divided among units all the same, each of which reads all panels from memory.
  constexpr int64_t few = 64;
  const double reread = isCached || trade.rows >= few ? 0 : pass;
  const double packed = reread + (trade.replaces ? 0 : pass + model.launchNanoseconds);

  // What the rows take beyond the block that would stay in the cache while panels go by.
  const double streamed =
      2 * double(trade.rowBytes) > cacheBytes ? double(trade.panels) * trade.rowBytes / fromBehind : 0;
  const double own = bytes / (trade.isAcross ? apart : 2 * fromCache);
  return double(trade.iterations) * (own + streamed + std::max(trade.gained, 0.0)) > atLeast * packed;
}

} // namespace nacre::encode
