// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernels phase and the order in which they run.

#ifndef NACRE_COMPILER_KERNELS_PASSES_H
#define NACRE_COMPILER_KERNELS_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/kernels/Passes.h.inc"

/// Appends the phase to `pm`, which runs on a module: both halves. `engine` computes everything that `plan.engine` does not give to
/// another one.
void buildPipeline(mlir::OpPassManager &pm, plan::Engine engine = plan::Engine::Any);

/// The half that is the same whoever computes what.
void buildPreparation(mlir::OpPassManager &pm);
/// The half that follows `plan.engine`.
void buildForming(mlir::OpPassManager &pm);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_PASSES_H
