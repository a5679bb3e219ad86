// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place phase, in order.

#include "compiler/place/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::place {

void buildPipeline(mlir::OpPassManager &pm) { pm.addPass(createPlaceKernelsPass()); }

} // namespace nacre::place
