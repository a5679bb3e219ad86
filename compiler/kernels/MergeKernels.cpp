// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges equal kernels, so that their launches share one. Networks repeat their blocks, and each remaining kernel is
// compiled and shipped. Kernels are equal if their texts without the names are equal. This text includes storages,
// slices and cut axis, but no locations. The first of several equal kernels stays.

#include "compiler/kernels/Passes.h"
#include "dialects/plan/KernelText.h"

#include "llvm/ADT/StringMap.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

struct MergeKernels : kernels::impl::MergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    llvm::StringMap<FlatSymbolRefAttr> firstOf;
    DenseMap<Attribute, FlatSymbolRefAttr> replacements;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<plan::KernelOp>())) {
      auto name = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
      auto [first, isNew] = firstOf.try_emplace(plan::printUnnamed(kernel), name);
      if (isNew)
        continue;
      replacements[name] = first->second;
      kernel.erase();
      ++numMerged;
    }
    getOperation().walk([&](plan::LaunchOp launch) {
      if (FlatSymbolRefAttr replacement = replacements.lookup(launch.getKernelAttr()))
        launch.setKernelAttr(replacement);
    });
  }
};

} // namespace
