// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: writes each engine's range of the cut axis on every launch.
// Why:  later phases and the runtime read ranges only, whoever chose them.

#include "compiler/place/Passes.h"

#include "mlir/IR/Builders.h"

namespace nacre::place {
#define GEN_PASS_DEF_PLACEKERNELSPASS
#include "compiler/place/Passes.h.inc"
} // namespace nacre::place

using namespace mlir;
using namespace nacre;

namespace {

struct PlaceKernels : place::impl::PlaceKernelsPassBase<PlaceKernels> {
  using PlaceKernelsPassBase::PlaceKernelsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Builder builder(&getContext());
    WalkResult walk = getOperation().walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel) {
        launch.emitOpError("must name a kernel, but names ") << launch.getKernelAttr();
        return WalkResult::interrupt();
      }
      const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
      const int64_t cut = gpuPercent >= 100 ? extent : extent * gpuPercent / 100 / grain * grain;
      launch.setGpuAttr(builder.getDenseI64ArrayAttr({0, cut}));
      launch.setCpuAttr(builder.getDenseI64ArrayAttr({cut, extent}));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
