// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/PanelPrices.h"

#include "codegen/cpu/tiles/TileTables.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace nacre::encode {

/// Returns the sum of launches times nanoseconds with `layout`. Returns `nullopt` if a reader does not offer it.
static std::optional<double> sumOf(llvm::ArrayRef<PanelReader> readers, const PanelLayout &layout) {
  double sum = 0;
  for (const PanelReader &reader : readers) {
    const auto *offer = llvm::find_if(reader.offers, [&](const PanelOffer &one) { return one.layout == layout; });
    if (offer == reader.offers.end())
      return std::nullopt;
    sum += reader.launches * offer->nanoseconds;
  }
  return sum;
}

std::optional<PanelLayout> choosePanels(llvm::ArrayRef<PanelReader> readers) {
  std::optional<PanelLayout> best;
  double least = 0;
  for (const PanelReader &reader : readers)
    for (const PanelOffer &offer : reader.offers)
      if (std::optional<double> sum = sumOf(readers, offer.layout); sum && (!best || *sum < least)) {
        best = offer.layout;
        least = *sum;
      }
  return best;
}

double nanosecondsOf(const codegen::cpu::MachineRow &machine, const PanelReading &reading, int64_t width) {
  const codegen::MachineModel &model = *machine.costs.model;
  const double cycles = reading.products * reading.shape.runs * runCycles(machine, reading.shape, width);
  const bool isCached = reading.repeats && reading.bytes <= double(model.l2Bytes);
  const double streaming = reading.bytes / (isCached ? model.l2BytesPerCycle : model.memoryBytesPerCycle);
  return std::max(cycles, streaming) / model.gigahertz;
}

} // namespace nacre::encode
