// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encode phase, in order.

#include "compiler/encode/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::encode {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  // First, because what is read in panels, and what by Winograd, depends on the type.
  if (options.weightType != WeightType::F32)
    pm.addPass(createNarrowWeightsPass({options.weightType, options.target, options.cpus}));
  // Behind types, before weights: what is packed here leaves variables to those that read them as they lie.
  pm.addPass(createPackOperandsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createChooseEncodingsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createPackStatesPass());
  pm.addPass(createRateProductsPass({options.target, options.cpus}));
}

} // namespace nacre::encode
