// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::plan {

constexpr StringLiteral kTile = "tile", kDirectCycles = "direct_cycles", kCycles = "cycles";

void setWinograd(KernelOp kernel, const WinogradNote &note) {
  Builder builder(kernel);
  kernel->setAttr(kWinograd, builder.getDictionaryAttr(
                                 {builder.getNamedAttr(kTile, builder.getI64IntegerAttr(note.tile)),
                                  builder.getNamedAttr(kDirectCycles, builder.getI64IntegerAttr(note.directCycles)),
                                  builder.getNamedAttr(kCycles, builder.getI64IntegerAttr(note.cycles))}));
}

std::optional<WinogradNote> winogradOf(KernelOp kernel) {
  auto note = kernel->getAttrOfType<DictionaryAttr>(kWinograd);
  if (!note)
    return std::nullopt;
  return WinogradNote{note.getAs<IntegerAttr>(kTile).getInt(), note.getAs<IntegerAttr>(kDirectCycles).getInt(),
                      note.getAs<IntegerAttr>(kCycles).getInt()};
}

} // namespace nacre::plan
