// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  parses the options `target` and `cpu` of the passes (Passes.td).
// Why:   the compiler passes targets to code generation directly; only nacre-opt has their names.
// How:   the options are parsed when a pass runs. Errors are reported at the module.

#ifndef NACRE_CODEGEN_TARGETOPTIONS_H
#define NACRE_CODEGEN_TARGETOPTIONS_H

#include "codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacre::codegen {

/// Returns the targets that parseTargets finds, at least one. Reports errors at `module`.
llvm::FailureOr<llvm::SmallVector<Target, 1>> readTargetOptions(mlir::ModuleOp module, llvm::StringRef target,
                                                                llvm::StringRef cpus);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGETOPTIONS_H
