// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the encode phase. The order of the passes matters:

#include "compiler/encode/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::encode {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  // Runs first, because panels depend on the type of weights.
  if (options.weightType != FloatStorage::F32)
    pm.addPass(createNarrowWeightsPass({options.weightType, options.target, options.cpus}));
  // Runs before panels are chosen, whose prices depend on the instructions.
  if (options.halfSums)
    pm.addPass(createAllowHalfSumsPass());
  // Runs after types are final and before weights are packed: an operand that is packed here is no longer read in its
  // usual order.
  pm.addPass(createPackOperandsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createChooseEncodingsPass({options.target, options.cpus, options.accuracy}));
  pm.addPass(createPackStatesPass());
  // Runs after weights are in panels, which limit how convolutions may go by Winograd.
  if (options.halfSums)
    pm.addPass(createChooseHalfStepsPass({options.target, options.cpus, options.predictsNoise}));
  // Otherwise, the pass before predicts it.
  if (options.predictsNoise && !options.halfSums)
    pm.addPass(createPredictNoisePass());
  pm.addPass(createRateProductsPass({options.target, options.cpus}));
}

} // namespace nacre::encode
