// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encode phase, in order.

#include "compiler/encode/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::encode {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  // First, because panels and Winograd depend on the type.
  if (options.weightType != WeightType::F32)
    pm.addPass(createNarrowWeightsPass({options.weightType, options.target, options.cpus}));
  // After types, before weights: readers of an operand that is packed here no longer read variables in their usual
  // order.
  pm.addPass(createPackOperandsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createChooseEncodingsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createPackStatesPass());
  pm.addPass(createRateProductsPass({options.target, options.cpus}));
}

} // namespace nacre::encode
