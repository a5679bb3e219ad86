// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  gives the filters that the CPU alone reads the encoding of Winograd, as far as weights may grow.
// Why:   the GPU reads panels: which filters it leaves alone is known when all is placed.
// How:   what WinogradLayers.h chooses is written on kernels and weights; what was on offer is gone then.

#include "compiler/place/Passes.h"
#include "compiler/place/WinogradLayers.h"

namespace nacre::place {
#define GEN_PASS_DEF_SETTLEENCODINGSPASS
#include "compiler/place/Passes.h.inc"
} // namespace nacre::place

using namespace mlir;
using namespace nacre;

namespace {

struct SettleEncodings : place::impl::SettleEncodingsPassBase<SettleEncodings> {
  using SettleEncodingsPassBase::SettleEncodingsPassBase;

  void runOnOperation() override {
    const SymbolTable symbols(getOperation());
    const place::WinogradChoice choice =
        place::WinogradLayers(getOperation(), symbols, double(winogradBytes)).choose([](plan::LaunchOp launch) {
          return plan::gpuShareOf(launch) == 0;
        });
    getOperation().walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (auto taken = choice.find(kernel); taken != choice.end())
        take(launch, kernel, taken->second, symbols);
    });
    numTransformed += choice.size();
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      kernel->removeAttr(plan::kWinograd);
  }

private:
  static void take(plan::LaunchOp launch, plan::KernelOp kernel, const plan::WinogradOffer &offer,
                   const SymbolTable &symbols) {
    auto encodings = llvm::to_vector(kernel.getEncodingsAttr().getValue());
    for (auto [input, encoding] : llvm::enumerate(encodings))
      if (isa<plan::EncodingAttr>(encoding)) {
        encoding = offer.encoding;
        auto use = launch.getInputs()[input].getDefiningOp<plan::UseOp>();
        symbols.lookup<plan::WeightOp>(use.getWeight()).setEncodingAttr(offer.encoding);
      }
    kernel.setEncodingsAttr(ArrayAttr::get(kernel.getContext(), encodings));
    kernel.setGrain(offer.grain);
  }
};

} // namespace
