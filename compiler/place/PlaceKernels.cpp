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
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Builder builder(&getContext());
    WalkResult walk = getOperation().walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel) {
        launch.emitOpError("must name a kernel, but names ") << launch.getKernelAttr();
        return WalkResult::interrupt();
      }
      launch.setCpuAttr(builder.getDenseI64ArrayAttr({0, kernel.getCutExtent()}));
      launch.setGpuAttr(builder.getDenseI64ArrayAttr({0, 0}));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
