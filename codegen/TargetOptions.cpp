// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/TargetOptions.h"

using namespace mlir;

namespace nacre::codegen {

FailureOr<SmallVector<Target, 1>> readTargetOptions(ModuleOp module, StringRef target, StringRef cpus) {
  llvm::Expected<SmallVector<Target, 1>> targets = parseTargets(target, cpus);
  if (!targets)
    return module.emitError(llvm::toString(targets.takeError()));
  return std::move(*targets);
}

} // namespace nacre::codegen
