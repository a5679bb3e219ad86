// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place phase, in order.

#include "compiler/place/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::place {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlaceKernelsPassOptions placing;
  placing.gpuPercent = options.gpuPercent;
  pm.addPass(createPlaceKernelsPass(placing));
}

} // namespace nacre::place
