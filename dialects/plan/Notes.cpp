// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::plan {

constexpr StringLiteral kEncoding = "encoding", kDirectCycles = "direct_cycles", kCycles = "cycles", kGrain = "grain";

void setWinogradOffers(KernelOp kernel, ArrayRef<WinogradOffer> offers) {
  Builder builder(kernel);
  SmallVector<Attribute> rows;
  for (const WinogradOffer &offer : offers)
    rows.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(kEncoding, offer.encoding),
                                   builder.getNamedAttr(kDirectCycles, builder.getI64IntegerAttr(offer.directCycles)),
                                   builder.getNamedAttr(kCycles, builder.getI64IntegerAttr(offer.cycles)),
                                   builder.getNamedAttr(kGrain, builder.getI64IntegerAttr(offer.grain))}));
  kernel->setAttr(kWinograd, builder.getArrayAttr(rows));
}

SmallVector<WinogradOffer, 2> winogradOffersOf(KernelOp kernel) {
  SmallVector<WinogradOffer, 2> offers;
  if (auto rows = kernel->getAttrOfType<ArrayAttr>(kWinograd))
    for (auto row : rows.getAsRange<DictionaryAttr>())
      offers.push_back({row.getAs<EncodingAttr>(kEncoding), row.getAs<IntegerAttr>(kDirectCycles).getInt(),
                        row.getAs<IntegerAttr>(kCycles).getInt(), row.getAs<IntegerAttr>(kGrain).getInt()});
  return offers;
}

} // namespace nacre::plan
