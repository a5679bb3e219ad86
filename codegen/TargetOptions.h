// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  parses the options `target` and `cpu` of the passes (Passes.td).
// Why:   the compiler calls code generation with targets; only nacre-opt has their names.
// How:   parsed when a pass runs; mistakes are reported at the module.

#ifndef NACRE_CODEGEN_TARGETOPTIONS_H
#define NACRE_CODEGEN_TARGETOPTIONS_H

#include "codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacre::codegen {

/// Returns the targets of parseTargets. Never empty; reports mistakes at `module`.
llvm::FailureOr<llvm::SmallVector<Target, 1>> readTargetOptions(mlir::ModuleOp module, llvm::StringRef target,
                                                                llvm::StringRef cpus);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGETOPTIONS_H
