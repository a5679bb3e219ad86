// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges equal weights of several entries. Entries are imported and folded separately. So a constant that folding made,
// such as the joined weights of three products, has other bytes in each entry, though they are equal. As one weight,
// it gets one encoding, which suits the launches of all entries.
//
// Only weights of the same nodes are merged. Others that are equal by chance differ after the next training, and the
// layout of a file of weights must not depend on that.

#include "compiler/kernels/Passes.h"
#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/DenseMap.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_SHAREWEIGHTSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

struct ShareWeights : kernels::impl::ShareWeightsPassBase<ShareWeights> {
  void runOnOperation() override {
    if (llvm::range_size(getOperation().getOps<plan::EntryOp>()) < 2)
      return;
    llvm::DenseMap<std::pair<Location, uint64_t>, SmallVector<plan::WeightOp, 1>> alike;
    llvm::DenseMap<Attribute, FlatSymbolRefAttr> replacements;
    for (auto weight : llvm::make_early_inc_range(getOperation().getOps<plan::WeightOp>())) {
      SmallVector<plan::WeightOp, 1> &known = alike[{weight.getLoc(), nn::hashBeginning(weight.getValue())}];
      const auto *same = llvm::find_if(
          known, [&](plan::WeightOp other) { return nn::haveSameData(other.getValue(), weight.getValue()); });
      if (same == known.end()) {
        known.push_back(weight);
        continue;
      }
      replacements[FlatSymbolRefAttr::get(weight.getSymNameAttr())] =
          FlatSymbolRefAttr::get(plan::WeightOp(*same).getSymNameAttr());
      weight.erase();
      ++numShared;
    }
    getOperation().walk([&](plan::UseOp use) {
      if (FlatSymbolRefAttr replacement = replacements.lookup(use.getWeightAttr()))
        use.setWeightAttr(replacement);
    });
  }
};

} // namespace
