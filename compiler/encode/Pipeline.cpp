// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encode phase, in order.

#include "compiler/encode/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::encode {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  pm.addPass(createChooseEncodingsPass({options.target, options.cpus, accuracyWord(options.accuracy).str()}));
}

} // namespace nacre::encode
