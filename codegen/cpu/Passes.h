// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of CPU code generation, and the functions that the compiler calls without a pass manager.

#ifndef NACRE_CODEGEN_CPU_PASSES_H
#define NACRE_CODEGEN_CPU_PASSES_H

#include "codegen/Target.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nacre::codegen::cpu {

#define GEN_PASS_DECL
#include "codegen/cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/cpu/Passes.h.inc"

/// Runs nacre-compute-in-halves for a given target.
void computeInHalves(mlir::ModuleOp module, const Target &target);

/// Runs nacre-emit-cpu for a given target.
llvm::LogicalResult emitKernels(mlir::ModuleOp module, const Target &target);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PASSES_H
